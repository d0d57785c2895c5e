import { isAlive, type ProcessIdentity } from './process-identity.ts'
import { waitUntil } from './wait-until.ts'

/** Only ever to that very process: pids repeat. */
export function signalProcess(mark: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(mark)) return
  try {
    process.kill(mark.pid, signal)
  } catch {
    // It has just ended.
  }
}

export function waitForExit(marks: readonly ProcessIdentity[], withinMs: number): Promise<boolean> {
  return waitUntil(() => !marks.some(isAlive), withinMs)
}
