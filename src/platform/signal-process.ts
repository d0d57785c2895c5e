import { comesTrue } from './wait-until.ts'
import { isAlive, type ProcessMark } from './process-identity.ts'

/** Only ever to that very process: pids repeat. */
export function signalProcess(mark: ProcessMark, signal: NodeJS.Signals): void {
  if (!isAlive(mark)) return
  try {
    process.kill(mark.pid, signal)
  } catch {
    // It has just ended.
  }
}

export function allGone(marks: readonly ProcessMark[], withinMs: number): Promise<boolean> {
  return comesTrue(() => !marks.some(isAlive), withinMs)
}
