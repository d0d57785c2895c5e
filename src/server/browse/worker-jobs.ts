import { resolve } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import { openCatalog } from '../../catalog/open.ts'
import { eventsIn, type Located, readSession } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { isAt, sessionsNaming } from '../../catalog/touched-files.ts'
import { type Check, problemsFirst } from '../../doctor/check.ts'
import { homeChecks } from '../../doctor/home-checks.ts'
import { isProblem } from '../../events/item.ts'
import { type SessionChange, sessionChanges } from '../../export/file-changes.ts'
import { type ExportFormat, exportSession, shareOptions } from '../../export/session.ts'
import { withSession } from '../../library/session.ts'
import { readContext } from '../../native/read-context.ts'
import { readMarks } from '../../organise/read-marks.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import type { FileEdit, SessionChanges, SessionCoverage, SharedSession } from './contract.ts'
import { sessionUsage } from './session-usage.ts'
import { overviewOf, type UsageQuery } from './usage-overview.ts'

/** A session as a job names it. */
export type JobSession = Pick<SessionRow, 'id' | 'agent' | 'path'>

/** What `ion web` has made in a worker thread: everything that reads complete sessions, or all model calls. */
export type BrowseJob =
  | { readonly kind: 'browse-changes'; readonly session: JobSession; readonly turn: TurnRange | null }
  | { readonly kind: 'browse-coverage'; readonly session: JobSession }
  | { readonly kind: 'browse-usage'; readonly session: JobSession }
  | { readonly kind: 'browse-share'; readonly session: JobSession }
  | { readonly kind: 'browse-export'; readonly session: JobSession; readonly options: ExportRequest }
  | { readonly kind: 'browse-files'; readonly path: string; readonly limit: number }
  | { readonly kind: 'browse-overview'; readonly query: UsageQuery }
  | { readonly kind: 'browse-doctor' }

export interface ExportRequest {
  readonly format: ExportFormat
  readonly redact: boolean
  readonly full: boolean
  readonly thinking: boolean
  readonly system: boolean
}

/** Numbers of prompts, from 1; negative ones count from the end. */
export interface TurnRange {
  readonly from: number
  readonly to: number
}

/** A line of `browse-files`, without what the index knows about the session. */
export interface FilesFound {
  readonly session: Pick<SessionRow, 'id' | 'agent'>
  readonly path: string
  readonly edits: readonly FileEdit[]
}

/** The answer in pieces. */
export async function* browseDocument(job: BrowseJob, io: Io): AsyncGenerator<string, void, undefined> {
  if (job.kind === 'browse-files') {
    yield* filesLines(job, io)
    return
  }
  if (job.kind === 'browse-overview') {
    yield toJsonText(await overviewOf(job.query, io))
    return
  }
  if (job.kind === 'browse-doctor') {
    yield toJsonText(doctorChecks(io))
    return
  }
  const { located, subAgents } = await withSession(job.session, { io }, (found, catalog) => ({
    located: found,
    subAgents: catalog
      .sessions({ parent: found.head.id, subAgents: true, hidden: true })
      .map(({ id, title }) => ({ id, title })),
  }))
  const source = { read: () => readSession(located, io), name: readMarks(io).get(located.head).name, subAgents }
  switch (job.kind) {
    case 'browse-changes':
      yield toJsonText(changesOf(located, job.turn, io))
      break
    case 'browse-coverage':
      yield toJsonText(coverageOf(located, io))
      break
    case 'browse-usage':
      yield toJsonText(await sessionUsage(job.session, io))
      break
    case 'browse-export': {
      const { redact, ...options } = job.options
      const redactor = redact ? new (await import('../../export/redact/redactor.ts')).Redactor([io.home]) : undefined
      yield* exportSession(source, options, redactor)
      break
    }
    case 'browse-share':
      yield toJsonText(await sharedSession(source, io))
  }
}

/** What `ion doctor` says of this machine and all agents. */
function doctorChecks(io: Io): Check[] {
  const catalog = openCatalog(io)
  try {
    return problemsFirst(homeChecks(agents, catalog, io, false))
  } finally {
    catalog.close()
  }
}

/** A page of this much takes long to show. */
const MAX_SHARED = 400_000
const MAX_DOUBTS = 50

async function sharedSession(source: Parameters<typeof exportSession>[0], io: Io): Promise<SharedSession> {
  const { Redactor } = await import('../../export/redact/redactor.ts')
  const { doubtsIn } = await import('../../export/redact/doubtful.ts')
  const redactor = new Redactor([io.home])
  let text = ''
  let length = 0
  const doubtful: SharedSession['doubtful'][number][] = []
  for (const piece of exportSession(source, shareOptions({}), redactor)) {
    if (piece === '') continue
    length += piece.length
    if (text.length < MAX_SHARED) text += piece
    if (doubtful.length < MAX_DOUBTS) doubtful.push(...doubtsIn(piece))
  }
  const masked = redactor.findings.map(({ rule, count }) => ({ kind: rule, count }))
  return {
    text: text.slice(0, MAX_SHARED),
    is_cut: length > MAX_SHARED,
    doubtful: doubtful.slice(0, MAX_DOUBTS),
    masked,
  }
}

function coverageOf(located: Located, io: Io): SessionCoverage {
  const reading = readContext(io)
  let events = 0
  let native = 0
  let bad = 0
  for (const item of readSession(located, io, reading)) {
    if (isProblem(item)) bad++
    else if (item.event.type === 'native') native++
    else events++
  }
  return { events, native, bad: Math.max(bad, reading.coverage.bad) }
}

/** Of all diffs together, and of one. */
const MAX_DIFFS = 2_000_000
const MAX_DIFF = 100_000

/** The changes of a session by file, in the order in which the files were first changed. */
function changesOf(located: Located, turn: TurnRange | null, io: Io): Omit<SessionChanges, 'git'> {
  const { changes, turns } = sessionChanges(eventsIn(readSession(located, io)))
  const number = (given: number): number => (given < 0 ? turns + 1 + given : given)
  const isWanted = (change: SessionChange): boolean =>
    turn === null || (change.turn !== null && change.turn >= number(turn.from) && change.turn <= number(turn.to))
  const room = { left: MAX_DIFFS }
  const files = new Map<string, SessionChange[]>()
  for (const change of changes.filter(isWanted)) {
    const known = files.get(change.path)
    if (known) known.push(change)
    else files.set(change.path, [change])
  }
  return {
    turns,
    files: [...files].map(([path, all]) => ({
      path,
      added: sum(all, 'added'),
      removed: sum(all, 'removed'),
      edits: all.map((change) => editOf(change, room)),
    })),
  }
}

function sum(changes: readonly SessionChange[], what: 'added' | 'removed'): number {
  return changes.reduce((total, change) => total + change[what], 0)
}

const KINDS = { edit: 'edited', write: 'written', delete: 'deleted' } as const

function editOf({ event, timestamp, turn, diff, kind }: SessionChange, room: { left: number }): FileEdit {
  const length = Math.min(MAX_DIFF, room.left)
  room.left -= Math.min(diff.length, length)
  const shown = diff.length <= length ? diff : diff.slice(0, diff.lastIndexOf('\n', length) + 1)
  return { event, time: timestamp, turn, diff: shown, kind: KINDS[kind], ...(shown === diff ? {} : { is_cut: true }) }
}

function* filesLines({ path, limit }: Extract<BrowseJob, { kind: 'browse-files' }>, io: Io): Generator<string> {
  const catalog = openCatalog(io)
  try {
    let found = 0
    const room = { left: MAX_DIFFS }
    for (const { row, events } of sessionsNaming(catalog, path, io)) {
      const changes = sessionChanges(events()).changes.filter((change) => isAt(change.path, row.cwd, path))
      if (changes.length === 0) continue
      const { id, agent } = row
      const byPath = new Map<string, FileEdit[]>()
      for (const change of changes) {
        const file = resolve(row.cwd ?? '/', change.path)
        byPath.set(file, [...(byPath.get(file) ?? []), editOf(change, room)])
      }
      for (const [file, edits] of byPath) {
        yield `${toJsonText({ session: { id, agent }, path: file, edits } satisfies FilesFound)}\n`
      }
      if (++found >= limit) break
    }
  } finally {
    catalog.close()
  }
}
