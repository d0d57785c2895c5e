import type { Io } from '../platform/io.ts'
import { addOperations } from './change-marks.ts'
import { keyOf } from './marks.ts'
import { type MarkedSession, type OperationRecord, operationOf } from './operation.ts'
import { readMarksFile } from './read-marks.ts'

/** An operation without its session, which may get another id on another machine. */
export type CarriedMark = Omit<OperationRecord, keyof MarkedSession>

export function isCarriedMark(value: unknown): boolean {
  return operationOf({ ...Object(value), agent: '', id: '' }) !== undefined
}

/** All operations on a session, not only their result: merged with those of another machine, the last one counts. */
export function carriedMarks(io: Io): (session: MarkedSession) => readonly CarriedMark[] {
  const bySession = new Map<string, CarriedMark[]>()
  for (const operation of readMarksFile(io).operations) {
    const { agent: _agent, id: _id, ...mark } = operation
    const found = bySession.get(keyOf(operation))
    if (found) found.push(mark)
    else bySession.set(keyOf(operation), [mark])
  }
  return (session) => bySession.get(keyOf(session)) ?? []
}

/**
 * Adds the marks of another machine to those of this one, and returns how many were new. In any order and any number of
 * times, the result is the same.
 */
export function mergeMarks(io: Io, { agent, id }: MarkedSession, marks: readonly CarriedMark[]): number {
  if (marks.length === 0) return 0
  const known = new Set(readMarksFile(io).operations.map(canonical))
  const operations = marks.map((mark) => ({ ...mark, agent, id }))
  const added = new Map(operations.map((operation) => [canonical(operation), operation]))
  for (const text of known) added.delete(text)
  addOperations(io, [...added.values()])
  return added.size
}

/** The same text for the same operation, whatever the order of its fields. */
function canonical(operation: OperationRecord): string {
  return JSON.stringify(Object.entries(operation).sort(([a], [b]) => (a < b ? -1 : 1)))
}
