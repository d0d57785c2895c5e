import { IonError } from '../platform/error.ts'
import { hasNoHardLinks, isHolder, type Lease, takeLease } from '../platform/lease.ts'

/** Creating an index takes milliseconds. */
const WAIT_MS = 10_000

/**
 * Runs `body` while no other process creates or deletes the index at `path`, so that nobody deletes the files that
 * another has just created. Opening an existing index takes no lock.
 */
export function withBuildLock<T>(path: string, body: () => T, waitMs: number = WAIT_MS): T {
  const lease = take(`${path}.lease`, waitMs)
  try {
    return body()
  } finally {
    lease?.release()
  }
}

/** Undefined on a file system without hard links: the index is disposable, and better unlocked than unusable. */
function take(folder: string, waitMs: number): Lease | undefined {
  try {
    const taken = takeLease(folder, { since: new Date().toISOString() }, { waitMs })
    if (!isHolder(taken)) return taken
    throw new IonError('refused', `another process (pid ${taken.pid}) is creating the index`, {
      hint: `wait for it, or stop it: kill ${taken.pid}`,
    })
  } catch (error) {
    if (hasNoHardLinks(error)) return undefined
    throw error
  }
}
