import { basename } from 'node:path'
import { isUuid } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionStart } from '../../events/schema.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, headOrProblem } from '../../native/file-head.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { parseLines } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, foldersIn, pathsIn, stampOf } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { sessionsFolder } from './paths.ts'
import { toEvent, versionOf } from './records.ts'

const HEAD = 32 * 1024
const TAIL = 32 * 1024

/** `<project>/<session id>.jsonl`, or `.jsonl.gz`. The project's folder is a hash that nothing is learned from. */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  for (const project of foldersIn(sessionsFolder(reading.io), reading)) {
    if (isProblem(project)) yield project
    else if (!reading.isUnchanged?.(project)) yield* projectSources(project, reading)
  }
}

/** Briefly, or after a crash, a log exists in both forms. By name the valid one comes first. */
function* projectSources(folder: string, reading: ReadContext): Generator<Source | Problem> {
  let before: string | undefined
  for (const path of pathsIn(folder, /\.jsonl(\.gz)?$/, reading)) {
    if (isProblem(path)) yield path
    else {
      if (sessionOf(path) !== before) yield* fileSource(path)
      before = sessionOf(path)
    }
  }
}

function* fileSource(path: string): Generator<Source | Problem> {
  const stamp = stampOf(path)
  if (!isUuid(sessionOf(path))) yield { code: 'invalid_record', problem: 'not named after a session', path }
  else if (stamp) yield { path, files: [stamp] }
}

function sessionOf(path: string): string {
  return basename(path).replace(/\.jsonl(\.gz)?$/, '')
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  yield* headOrProblem(path, () => toHead(header(path, reading), path, source.files, reading))
}

function header(path: string, reading: ReadContext): SessionStart {
  const first = parseLines(readHead(path, HEAD, reading), 'head')[0]
  if (!first) throw new Error('no header')
  const start = toEvent(first, versionOf(first)) as SessionStart
  if (start.session_id !== sessionOf(path).toLowerCase()) {
    throw new Error(`the header is of another session (${start.session_id})`)
  }
  return start
}

/** As the agent's adapter described it when it was archived; only the end is read. */
function toHead(start: SessionStart, path: string, files: readonly FileStamp[], reading: ReadContext): SessionHead {
  const { git, forked_from, parent_session, spawned_by } = start
  const source = asObject(start.source)
  const started = start.timestamp_guessed ? undefined : toIso(start.timestamp)
  const head = fileHead(start.agent, asString(start.native_id) ?? start.session_id, files)
  return {
    ...head,
    id: start.session_id,
    title: titleFrom(asString(start.title) ?? ''),
    cwd: asString(start.cwd) ?? null,
    created_at: started ?? null,
    updated_at: lastTime(path, reading) ?? started ?? head.updated_at,
    model: asString(start.model) ?? null,
    agent_version: asString(source?.agent_version) ?? null,
    format: `ion-v${start.v}`,
    resumable: false,
    ...(git ? { git: git as NonNullable<SessionHead['git']> } : {}),
    ...(forked_from ? { forked_from } : {}),
    ...(parent_session ? { parent_session } : {}),
    ...(spawned_by ? { spawned_by } : {}),
  }
}

/** Of the last event whose time is not a guess. */
function lastTime(path: string, reading: ReadContext): string | undefined {
  const bytes = tailOf(path, reading)
  const lines = parseLines(bytes, bytes.length < TAIL ? 'whole' : 'tail')
  const timed = (line: JsonObject): boolean => line.type !== 'session_start' && line.timestamp_guessed !== true
  return toIso(lines.findLast(timed)?.timestamp)
}

/** Nothing where a compressed log is damaged: it is listed anyway, and reading it reports the damage. */
function tailOf(path: string, reading: ReadContext): Buffer {
  try {
    return readTail(path, TAIL, reading)
  } catch {
    return Buffer.alloc(0)
  }
}
