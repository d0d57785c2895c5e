import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { livingProcess } from '../platform/process.ts'
import { sleepSync } from '../platform/wait.ts'

/** To make a catalogue takes milliseconds; a lock older than this was left behind. */
const STALE_MS = 10_000
const STEP_MS = 10

/**
 * Runs `body` while no other process makes or throws away the catalogue at `path`: files that are thrown away must not be
 * those that another has just made. Opening one that is there takes no lock.
 */
export function withBuildLock<T>(path: string, body: () => T): T {
  const lock = `${path}.lock`
  while (!take(lock)) {
    if (isLeft(lock)) rmSync(lock, { force: true })
    else sleepSync(STEP_MS)
  }
  try {
    return body()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isLeft(lock: string): boolean {
  try {
    const old = Date.now() - statSync(lock).mtimeMs > STALE_MS
    const pid = Number(readFileSync(lock, 'utf8'))
    // Empty: taken just now, or by one that was killed before it could write.
    return old || (pid > 0 && !livingProcess(pid))
  } catch {
    // Given back in the meantime.
    return false
  }
}
