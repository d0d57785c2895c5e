import { IonError } from '../platform/error.ts'
import type { RunIntent } from './decide.ts'
import type { Holder } from './lease.ts'
import type { Way } from './ledger.ts'

/** Where a run is, for somebody who is elsewhere. */
export function whereFrom(way: Way): string {
  return { terminal: 'in another terminal', headless: 'without a terminal', detached: 'in the background' }[way]
}

/** Another Ion works on the task. */
export function busyTask({ agent, command }: RunIntent, { pid, way, since }: Holder): IonError {
  const next = way === 'detached' ? 'ion attach, or ion stop' : `wait for it, or end it: kill ${pid}`
  return new IonError(
    'refused',
    `this task of ${agent.title} is running ${whereFrom(way)} (pid ${pid}, since ${since.slice(0, 16).replace('T', ' ')})`,
    {
      hint: `${next}; ${command} --steal ends it and takes over`,
    },
  )
}
