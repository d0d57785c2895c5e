import { sessionId } from '../events/id.ts'
import type { Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { JsonObject } from './json-lines.ts'
import { parseLines } from './line-window.ts'
import { asObject } from './narrow.ts'
import { cannotRead } from './problem.ts'
import type { ReadContext } from './read-context.ts'
import { toIso } from './time.ts'
import type { FileStamp } from './walk.ts'
import { readHead, readTail, readWhole } from './window.ts'

type FileHead = Omit<SessionHead, 'format' | 'resumable'>

/** What the id and the files of a session say about it; the adapter adds what it reads in them. The first file is the main one. */
export function fileHead(agent: string, native_id: string, files: readonly FileStamp[]): FileHead {
  return {
    id: sessionId(agent, native_id),
    agent,
    native_id,
    path: files[0]?.path ?? '',
    title: null,
    cwd: null,
    created_at: null,
    updated_at: toIso(files[0]?.mtimeMs) ?? null,
    model: null,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    revision: revisionOf(files),
    agent_version: null,
  }
}

/** Changes whenever one of the files is written or replaced. */
export function revisionOf(files: readonly FileStamp[]): string {
  let revision = ''
  for (const { ino, size, mtimeMs } of files) revision += `${revision && ' '}${ino}:${size}:${mtimeMs}`
  return revision
}

/** What `describe` reads from a file; when it throws, the problem. */
export function* headOrProblem(path: string, describe: () => SessionHead | Problem): Generator<SessionHead | Problem> {
  try {
    yield describe()
  } catch (error) {
    yield cannotRead(path, error)
  }
}

/** The records in the first and the last bytes of a file of lines; the same for a small file. */
export function endRecords(
  { path, size }: FileStamp,
  reading: ReadContext,
  { head = 32 * 1024, tail = 32 * 1024 }: { readonly head?: number; readonly tail?: number } = {},
): { readonly first: JsonObject[]; readonly last: JsonObject[] } {
  const first = parseLines(readHead(path, Math.min(head, size), reading), 'head')
  return { first, last: size <= head ? first : parseLines(readTail(path, Math.min(tail, size), reading), 'tail') }
}

/** The first value of a record that is not empty. */
export function firstOf<R, T>(records: readonly R[], pick: (record: R) => T | undefined): T | undefined {
  for (const record of records) {
    const value = pick(record)
    if (value) return value
  }
  return undefined
}

export function lastOf<R, T>(records: readonly R[], pick: (record: R) => T | undefined): T | undefined {
  for (let at = records.length - 1; at >= 0; at--) {
    const value = pick(records[at]!)
    if (value) return value
  }
  return undefined
}

/** A small JSON file beside a session; an empty object when it does not exist, is larger than `limit` or does not parse. */
export function readSideFile(path: string, reading: ReadContext, limit?: number): JsonObject {
  try {
    const bytes = limit === undefined ? readWhole(path, reading) : readHead(path, limit, reading)
    return asObject(JSON.parse(bytes.toString('utf8'))) ?? {}
  } catch {
    return {}
  }
}
