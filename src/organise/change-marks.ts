import { dirname } from 'node:path'
import { appendLines, privateFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { writeHint } from '../platform/write-hint.ts'
import { allMarks, type Marks } from './marks.ts'
import type { Change, MarkedSession, Operation, OperationRecord } from './operation.ts'
import { marksPath, readMarksFile } from './read-marks.ts'
import { parseTag } from './tag.ts'

/** Null removes a name or note. */
export interface MarksChange {
  readonly name?: string | null
  readonly addTags?: readonly string[]
  readonly removeTags?: readonly string[]
  readonly pinned?: boolean
  readonly note?: string | null
}

const MAX_NAME = 200
const MAX_NOTE = 20_000

/**
 * Writes what differs from the present state, and returns the new one when it is on the disk. Throws `usage` for a name,
 * tag or note that is not valid, `failed` if it cannot be written.
 */
export function changeMarks(io: Io, { id, agent }: MarkedSession, change: MarksChange): Marks {
  const session = { id, agent }
  const { operations, problem } = readMarksFile(io)
  if (problem !== undefined) throw unreadable(io, problem)
  const marks = allMarks(operations)
  const changes = differences(marks.get(session), change)
  const at = nextTime(io.now(), marks.lastChange(session))
  const added = changes.map((one): Operation => ({ at, agent, id, ...one }))
  addOperations(io, added)
  for (const operation of added) marks.add(operation)
  return marks.get(session)
}

/** Nothing for what is so already. */
function differences(before: Marks, change: MarksChange): Change[] {
  const changes: Change[] = []
  const name = typeof change.name === 'string' ? checkedName(change.name) : change.name
  const note = typeof change.note === 'string' ? checkedNote(change.note) : change.note
  if (name !== undefined && name !== before.name) changes.push({ op: 'name', value: name })
  if (note !== undefined && note !== before.note) changes.push({ op: 'note', value: note })
  if (change.pinned !== undefined && change.pinned !== before.pinned)
    changes.push({ op: change.pinned ? 'pin' : 'unpin' })
  const removed = new Set((change.removeTags ?? []).map(parseTag))
  const added = new Set((change.addTags ?? []).map(parseTag))
  for (const tag of removed) if (before.tags.includes(tag)) changes.push({ op: 'untag', value: tag })
  for (const tag of added) {
    if (!removed.has(tag) && !before.tags.includes(tag)) changes.push({ op: 'tag', value: tag })
  }
  return changes
}

/** After all that is known of the session, even if the clock was set back or both happen within a millisecond. */
function nextTime(now: Date, last: string | undefined): string {
  const earliest = last === undefined ? 0 : Math.min(Date.parse(last) + 1, LATEST)
  return new Date(Math.max(now.getTime(), earliest)).toISOString()
}

/** Later times are written with more digits. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

function checkedName(text: string): string {
  const name = plain(text).replace(/\s+/g, ' ').trim()
  if (name === '') throw new IonError('usage', 'the name is empty', { hint: 'leave it out to remove the given name' })
  return checkedLength(name, MAX_NAME, 'name')
}

function checkedNote(text: string): string {
  const note = plain(text).trim()
  if (note === '') throw new IonError('usage', 'the note is empty', { hint: 'to remove the note: --remove' })
  return checkedLength(note, MAX_NOTE, 'note')
}

function checkedLength(text: string, maximum: number, what: string): string {
  if (text.length <= maximum) return text
  throw new IonError('usage', `the ${what} is too long: ${text.length} characters`, {
    hint: `a ${what} has at most ${maximum} characters`,
  })
}

/** Throws `failed` if they cannot be written. */
export function addOperations(io: Io, operations: readonly OperationRecord[]): void {
  if (operations.length === 0) return
  const path = marksPath(io)
  try {
    privateFolder(dirname(path))
    appendLines(
      path,
      operations.map((operation) => JSON.stringify(operation)),
    )
  } catch (error) {
    throw new IonError('failed', `cannot write ${path}: ${messageOf(error)}`, {
      hint: writeHint(error, path),
      cause: error,
    })
  }
}

function unreadable(io: Io, problem: string): IonError {
  const path = marksPath(io)
  return new IonError('failed', `cannot read ${path}: ${problem}`, { hint: `check the permissions of ${path}` })
}
