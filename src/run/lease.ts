import { join } from 'node:path'
import { IonError } from '../platform/error.ts'
import { type Holder as AnyHolder, type Lease, type LeaseOptions, leaseHolder, takeLease } from '../platform/lease.ts'
import { localTime } from '../platform/local-time.ts'
import type { RunIntent } from './decide.ts'
import type { RunMode } from './ledger.ts'

/** The process that works on a task. */
export type Holder = AnyHolder<{ readonly way: RunMode; readonly since: string }>

/** One process at a time works on a task. */
export function takeTask(folder: string, mode: RunMode, now: Date, options: LeaseOptions = {}): Lease | Holder {
  return takeLease(folder, { way: mode, since: now.toISOString() }, options)
}

export function taskHolder(folder: string): Holder | undefined {
  return leaseHolder(folder)
}

/** The folder of the lease of a task's server: one server per task. */
export function serverLease(folder: string): string {
  return join(folder, 'server')
}

/** Where a run is, as seen from another terminal. */
export function describeMode(mode: RunMode): string {
  return { terminal: 'in another terminal', headless: 'without a terminal', detached: 'in the background' }[mode]
}

/** Another Ion works on the task. */
export function busyTask({ agent, command }: RunIntent, { pid, way, since }: Holder): IonError {
  const next = way === 'detached' ? 'ion attach, or ion stop' : `wait for it, or stop it: kill ${pid}`
  return new IonError(
    'refused',
    `this task of ${agent.title} is running ${describeMode(way)} (pid ${pid}, since ${localTime(since)})`,
    { hint: `${next}; ${command} --steal stops it and takes over` },
  )
}
