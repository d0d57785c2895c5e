import { basename, join } from 'node:path'
import { isProblem, type NonRecord, type Problem } from '../../events/item.ts'
import { type JsonLine, readJsonLines } from '../../native/json-lines.ts'
import { linesForward, windowText } from '../../native/line-window.ts'
import { cannotRead } from '../../native/problem.ts'
import { oncePerRead, type ReadContext } from '../../native/read-context.ts'
import { filesIn, pathsIn, subfolders } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { archiveFolder, DAY_MS, dayFolder, sessionsFolder } from './paths.ts'
import { type CodexRecord, type SessionMeta, sessionMeta } from './records.ts'
import { decompressHead, decompressToFile } from './zstd.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** The source of a pattern for a rollout's file name. */
export const ROLLOUT = `rollout-[-0-9T]+-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?`
const NAME = new RegExp(`^${ROLLOUT}$`, 'i')

/** Year, month and day, and some more to be safe; limited because a link may lead back up. */
const MAX_FOLDERS = 6

/** A file's own id, and the thread it belongs to: the same, except for a thread that was rolled back. */
export interface RolloutName {
  readonly rollout: string
  readonly thread: string
}

export function parseName(name: string): RolloutName | undefined {
  const match = NAME.exec(name)
  if (!match) return undefined
  const thread = match[1]!.toLowerCase()
  return { thread, rollout: match[2]?.toLowerCase() ?? thread }
}

export function isCompressed(path: string): boolean {
  return path.endsWith('.zst')
}

/**
 * Every rollout's path: sessions, then the archive. Of a file that is both plain and compressed, or in both places, only the
 * first is yielded: Codex itself uses the plain one.
 */
export function* rolloutPaths(reading: ReadContext): Generator<string | Problem> {
  const seen = new Set<string>()
  for (const path of allPaths(reading)) {
    if (typeof path === 'string') {
      const name = basename(path).replace(/\.zst$/, '')
      if (seen.has(name)) continue
      seen.add(name)
    }
    yield path
  }
}

function* allPaths(reading: ReadContext): Generator<string | Problem> {
  yield* pathsBelow(sessionsFolder(reading.io), MAX_FOLDERS, reading)
  yield* pathsBelow(archiveFolder(reading.io), 0, reading)
}

function* pathsBelow(folder: string, depth: number, reading: ReadContext): Generator<string | Problem> {
  yield* pathsIn(folder, NAME, reading)
  if (depth === 0) return
  for (const name of subfolders(folder, reading)) {
    // A folder that cannot be listed was reported above.
    if (typeof name !== 'string' || NAME.test(name)) continue
    const below = join(folder, name)
    if (!reading.isUnchanged?.(below)) yield* pathsBelow(below, depth - 1, reading)
  }
}

/** The path of a rollout by id; undefined when it is not on this machine. */
export function findRollout(id: string, reading: ReadContext): string | undefined {
  const wanted = id.toLowerCase()
  for (const folder of likelyFolders(wanted, reading)) {
    for (const name of filesIn(folder, NAME, reading)) {
      if (typeof name === 'string' && parseName(name)?.rollout === wanted) return join(folder, name)
    }
  }
  return rolloutsById(reading).get(wanted)
}

const rolloutsById = oncePerRead((reading) => {
  const paths = [...rolloutPaths(reading)].filter((path) => typeof path === 'string')
  return new Map(paths.map((path) => [parseName(basename(path))!.rollout, path]))
})

/** A version 7 id begins with its time; folders are by local date, so a day before or after is possible. */
function likelyFolders(id: string, { io }: ReadContext): string[] {
  if (id[14] !== '7') return []
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return [0, -DAY_MS, DAY_MS].flatMap((offset) => dayFolder(time + offset, io) ?? [])
}

/** The first line contains the instructions, so it can be long; beyond this it is not read. */
const FIRST_LINE = 4 * 1024 * 1024

/** Small steps: the first prompt is mostly near the start, but after long instructions in some versions. */
const STEPS = [12 * 1024, 96 * 1024, FIRST_LINE]

/** The records at the start of a file up to the first that is `enough`, within `size` bytes; at least the first one. */
export function firstRecords(
  path: string,
  size: number,
  enough: (record: CodexRecord) => boolean,
  reading: ReadContext,
): CodexRecord[] {
  const readStart = isCompressed(path) ? decompressHead : readHead
  let records: CodexRecord[] = []
  for (const step of STEPS) {
    if (step > size && records.length > 0) break
    const bytes = readStart(path, step, reading)
    records = []
    for (const record of linesForward(windowText(bytes)) as Iterable<CodexRecord>) {
      records.push(record)
      if (enough(record)) return records
    }
    if (bytes.length < step) break
  }
  return records
}

/** What the first line says about the session. */
export function readMeta(path: string, reading: ReadContext): SessionMeta | undefined {
  return sessionMeta(firstRecords(path, 0, () => true, reading)[0])
}

/** The lines of a rollout, plain or compressed; offsets in a compressed one refer to its text. */
export function* rolloutLines(path: string, reading: ReadContext): Generator<JsonLine | NonRecord> {
  if (!isCompressed(path)) {
    yield* readJsonLines(path, reading)
    return
  }
  const text = decompressToFile(path, reading)
  try {
    for (const line of readJsonLines(text.file, reading)) yield isProblem(line) ? { ...line, path } : line
    if (text.error) yield cannotRead(path, text.error, 'cannot decompress')
  } finally {
    text.dispose()
  }
}
