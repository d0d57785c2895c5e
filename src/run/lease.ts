import { type Holder as AnyHolder, type Lease, leaseHolder, takeLease } from '../platform/lease.ts'
import type { Way } from './ledger.ts'

/** Who works on a task now. */
export type Holder = AnyHolder<{ readonly way: Way; readonly since: string }>

/** One process at a time works on a task. */
export function takeTask(folder: string, way: Way, now: Date): Lease | Holder {
  return takeLease(folder, { way, since: now.toISOString() })
}

export function taskHolder(folder: string): Holder | undefined {
  return leaseHolder(folder)
}
