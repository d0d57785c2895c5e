import type { Io } from '../platform/io.ts'
import { addOperations } from './change-marks.ts'
import type { MarkedSession } from './operation.ts'
import { readMarks } from './read-marks.ts'

/** Records which session another one was made from by Ion; null removes that. */
export function setOrigin(io: Io, { agent, id }: MarkedSession, origin: MarkedSession | null): void {
  const before = readMarks(io).get({ agent, id }).origin
  if (before?.id === origin?.id && before?.agent === origin?.agent) return
  const value = origin && `${origin.agent} ${origin.id}`
  addOperations(io, [{ at: io.now().toISOString(), agent, id, op: 'origin', value }])
}
