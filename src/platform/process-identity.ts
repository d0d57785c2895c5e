import { bootId } from './boot.ts'
import { livingProcess } from './process.ts'

/** Names a process for ever: pids repeat, within a boot and after the next. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks from boot to its start; null where the system does not tell. */
  readonly start: string | null
  readonly boot: string
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: livingProcess(pid)?.startTicks ?? null, boot: bootId() }
}

/** Whether that very process lives. */
export function isAlive({ pid, start, boot }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false
  const living = livingProcess(pid)
  if (!living) return false
  return start === null || living.startTicks === undefined || living.startTicks === start
}
