import { findAgent, nearestAgent } from '../agents/find.ts'
import { attempt, IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { tasksMatching } from './find.ts'
import type { ActiveTask } from './tasks.ts'

/** Throws for a reference that selects no task anywhere, is no agent, and looks like one. */
export function refuseMisspeltAgent(tasks: readonly ActiveTask[], reference: string | undefined, io: Io): void {
  if (reference === undefined || tasksMatching(tasks, reference, io, true).length > 0) return
  if (attempt(() => findAgent(reference)) !== undefined) return
  const meant = nearestAgent(reference)
  if (meant === undefined) return
  throw new IonError('not-found', `unknown agent or task "${reference}"`, { hint: `did you mean ${meant}?` })
}
