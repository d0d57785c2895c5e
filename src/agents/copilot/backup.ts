import { join, sep } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { pathsBelow } from '../../native/walk.ts'
import type { Io } from '../../platform/io.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { parseFlatYaml } from './flat-yaml.ts'
import { paths } from './paths.ts'

const SESSION = 'session-state/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/**
 * The session's folder without its locks: the events, the workspace, summaries, plans, and the files that Copilot saved to
 * undo changes. In early versions it is one file.
 */
const files = [
  new RegExp(`^${SESSION}\\.jsonl$`, 'i'),
  new RegExp(`^${SESSION}/(events\\.jsonl|workspace\\.yaml|session\\.db|[\\w-]+\\.md)$`, 'i'),
  new RegExp(`^${SESSION}/(checkpoints|files|research|rewind-file-snapshots)/.+$`, 'i'),
]

export const backup: BackupSpec = {
  roots,
  files: { copilot: files, state: files, config: files },
  mayBeLinks: ['session-state'],
  parts,
  rewrite: { fields: ['cwd', 'gitRoot'], text: movedWorkspace },
}

/** Data from before 1.0 may be in other folders; Copilot itself moves it to the folder in use. */
function roots(io: Io): Record<string, string> {
  const [inUse, ...old] = paths(io)
  const oldOr = (name: string): string => old.find(({ env }) => env.includes(name))?.path ?? inUse!.path
  return { copilot: inUse!.path, state: oldOr('XDG_STATE_HOME'), config: oldOr('XDG_CONFIG_HOME') }
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const found = Object.entries(roots(reading.io)).find(([, folder]) => head.path.startsWith(join(folder, sep)))
  if (!found) return
  const [root, folder] = found
  const main = pathBelow(folder, head.path)
  yield file(root, main)
  if (!main.endsWith('/events.jsonl')) return
  for (const path of pathsBelow(folder, main.slice(0, -'/events.jsonl'.length), reading)) {
    if (isProblem(path)) yield path
    else if (path !== main && files.some((pattern) => pattern.test(path))) yield file(root, path)
  }
}

function file(root: string, path: string): FilePart {
  const form = path.endsWith('.jsonl') ? 'lines' : path.endsWith('/session.db') ? 'database' : 'whole'
  return { kind: 'file', root, path, form }
}

/** A resume goes to the folder that is named there. */
function movedWorkspace(path: string, text: string, move: (path: string) => string): string {
  if (!path.endsWith('/workspace.yaml')) return text
  return text.replace(/^((?:cwd|git_root): )(.+)$/gm, (line, before: string, value: string) => {
    const folder = parseFlatYaml(line).get(before.slice(0, -2)) ?? ''
    // A plain scalar stays one; a quoted one may need its quotes.
    return folder.startsWith('/') && move(folder) !== folder
      ? before + (value === folder ? move(folder) : JSON.stringify(move(folder)))
      : line
  })
}
