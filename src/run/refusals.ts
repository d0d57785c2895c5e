import { IonError } from '../platform/error.ts'
import type { Wish } from './decide.ts'
import type { Holder } from './lease.ts'

/** Another Ion works on the task. */
export function busyTask({ agent, command }: Wish, { pid, way, since }: Holder): IonError {
  const where = { terminal: 'in another terminal', headless: 'without a terminal', detached: 'in the background' }[way]
  const next = way === 'detached' ? 'ion attach, or ion stop' : `wait for it, or end it: kill ${pid}`
  return new IonError(
    'refused',
    `this task of ${agent.title} is running ${where} (pid ${pid}, since ${since.slice(0, 16).replace('T', ' ')})`,
    {
      hint: `${next}; ${command} --steal starts another`,
    },
  )
}
