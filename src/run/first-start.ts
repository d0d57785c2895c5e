import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { CreatedDatabases } from '../agents/start.ts'
import { attempt } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, leaseHolder, takeLease } from '../platform/lease.ts'
import { listNames } from '../platform/list-dir.ts'
import { waitUntil } from '../platform/wait.ts'

/** How long a start waits for another first start; then it goes ahead. */
const WAIT_MS = 15_000
/** How long the databases may take to be complete. */
const CREATE_MS = 10_000
/** Databases that have not changed for this long are complete. */
const SETTLED_MS = 500

/** The only first start of an agent at this moment. */
export interface FirstStart {
  /** The agent was started: the next start may follow as soon as the databases are complete or it has ended. */
  watch(exit: Promise<unknown>): void
  /** The agent could not be started. */
  release(): void
}

/**
 * Some agents create their databases at their first start in a home, and another start in that moment finds them half
 * made and fails. So such starts go one after the other. Returns after an earlier one is done; undefined if this is not a
 * first start.
 */
export async function beginFirstStart(
  { start, title }: Agent,
  io: Io,
  notice: (line: string) => void,
): Promise<FirstStart | undefined> {
  const databases = start?.createsDatabases?.(io)
  if (!databases) return undefined
  const isFirst = (): boolean => stampsOf(databases) === ''
  const key = createHash('sha256').update(databases.folder).digest('hex').slice(0, 16)
  const folder = join(ionHome(io), 'first-starts', key)
  if (!isFirst() && !leaseHolder(folder)) return undefined
  let lease = take(folder)
  if (!lease) {
    notice(`waiting for another first start of ${title}, which creates its databases`)
    // The lease of a process that has died is free.
    await waitUntil(() => (lease ??= take(folder)) !== undefined, WAIT_MS)
  }
  if (!lease) return undefined
  const { release } = lease
  if (isFirst()) return { release, watch: (exit) => void untilCreated(databases, exit).finally(release) }
  release()
  return undefined
}

/** Undefined if it is taken, or cannot be taken at all: the order of two starts is not worth refusing one. */
function take(folder: string): Lease | undefined {
  const taken = attempt(() => takeLease(folder, {}))
  return taken && !isHolder(taken) ? taken : undefined
}

async function untilCreated(databases: CreatedDatabases, exit: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const ended = exit.catch(() => {}).then(() => (hasEnded = true))
  let last = ''
  let since = performance.now()
  const isSettled = (): boolean => {
    const stamps = stampsOf(databases)
    if (stamps !== last) since = performance.now()
    last = stamps
    return stamps !== '' && performance.now() - since >= SETTLED_MS
  }
  await Promise.race([waitUntil(() => hasEnded || isSettled(), CREATE_MS), ended])
}

/** Changes with each write to a database or its -wal; empty without a database. */
function stampsOf({ folder, name }: CreatedDatabases): string {
  const names = listNames(folder).filter((one) => name.test(one))
  return names
    .flatMap((one) => [one, `${one}-wal`])
    .map((one) => {
      const stat = statSync(join(folder, one), { throwIfNoEntry: false })
      return stat ? `${one}:${stat.size}:${stat.mtimeMs}` : one
    })
    .join()
}
