import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { StartRequest } from '../agents/start.ts'
import { isProblem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import { attempt } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** Not even a small session fits on the disk. */
const FULL_BYTES = 64 * 1024
/** A store may have thousands of folders; the first ones show whether it can be written to. */
const MAX_FOLDERS = 200

/** Why the agent stored nothing, as far as it can be determined; undefined if nothing speaks against storing. */
export function whyUnstored(
  agent: Agent,
  request: Pick<StartRequest, 'args' | 'cwd' | 'io'>,
  files: readonly string[] = [],
): string | undefined {
  const { io } = request
  const disabled = attempt(() => agent.start!.storingDisabledBy?.(request))
  if (disabled !== undefined) return `storing is switched off by ${disabled}`
  const problem = attempt(() => agent.sources(readContext(io))[Symbol.iterator]().next().value)
  if (problem && isProblem(problem)) return `${tilde(problem.path, io)}: ${problem.problem}`
  const roots = agent.paths(io).map(({ path }) => path)
  for (const path of [...files, ...roots.flatMap((root) => [root, ...foldersIn(root)])]) {
    const why = obstacle(path, io)
    if (why !== undefined) return why
  }
  return undefined
}

function foldersIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])).slice(0, MAX_FOLDERS)
}

/** Why nothing can be written there. Nothing is tried: an agent's store is only read. */
function obstacle(path: string, io: Io): string | undefined {
  const existing = nearestExisting(path)
  const shown = tilde(existing, io)
  try {
    accessSync(existing, constants.W_OK)
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS'
    return isReadOnly ? `${shown} is on a read-only file system` : `${shown} is not writable`
  }
  const disk = attempt(() => statfsSync(existing))
  // Some virtual file systems report no size at all.
  if (disk && disk.blocks > 0 && disk.bavail * disk.bsize < FULL_BYTES) return `the disk of ${shown} is full`
  return undefined
}

function nearestExisting(path: string): string {
  let existing = path
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  return existing
}
