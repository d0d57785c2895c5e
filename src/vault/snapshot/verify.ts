import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { agents } from '../../agents/_registry.ts'
import { sessionId } from '../../events/id.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import {
  entryName,
  HEADER_NAME,
  MANIFEST_NAME,
  parseManifestLine,
  parseSnapshotHeader,
  type SnapshotHeader,
  type SnapshotSession,
} from './format.ts'
import { LineSplitter } from './line-splitter.ts'
import { Rehearsal } from './rehearsal.ts'
import { RowsCheck } from './rows-check.ts'
import { type ReadEntry, readTar, TruncatedTar } from './tar-reader.ts'

/** Far more than anybody has; guards against a file that would exhaust memory. */
const MAX_ENTRIES = 5_000_000
const MAX_HEADER = 1024 * 1024
const MAX_MANIFEST = 256 * 1024 * 1024

/** The result of reading every byte of a snapshot. */
export interface VerifyResult {
  /** Undefined when the file does not start like a snapshot. */
  readonly header: SnapshotHeader | undefined
  /** From the manifest; empty when that is missing. */
  readonly sessions: readonly SnapshotSession[]
  /** Empty when the file is intact. */
  readonly problems: readonly string[]
}

interface Seen {
  readonly name: string
  readonly size: number
  readonly sha256: string
  /** It starts like a file of SQLite, or is empty, which is an empty database. */
  readonly isDatabase: boolean
}

const SQLITE_START = 'SQLite format 3\0'

/** Reads the whole file with bounded memory and reports problems. Throws `not-found` when it does not exist. */
export async function verifySnapshot(file: string): Promise<VerifyResult> {
  if (!existsSync(file)) throw new IonError('not-found', `there is no file ${file}`)
  const seen: Seen[] = []
  const problems: string[] = []
  let header: SnapshotHeader | undefined
  let sessions: SnapshotSession[] | undefined
  const rehearsal = new Rehearsal()
  try {
    for await (const entry of readTar(file)) {
      if (sessions) throw new Error(`"${entry.name}" follows the manifest`)
      if (!header) header = await headerOf(entry)
      else if (entry.name === MANIFEST_NAME) sessions = await manifestOf(entry)
      else if (seen.length >= MAX_ENTRIES) throw new Error('it has too many files')
      else seen.push(await checkEntry(entry, rehearsal, problems))
    }
  } catch (error) {
    problems.push(describeError(error, seen.at(-1)?.name))
  } finally {
    rehearsal.close()
  }
  if (sessions) problems.push(...differences(sessions, seen))
  else if (problems.length === 0) problems.push('its manifest is missing')
  return { header, sessions: sessions ?? [], problems }
}

function describeError(error: unknown, after: string | undefined): string {
  if (error instanceof TruncatedTar)
    return `it is truncated${after === undefined ? '' : ` after "${after}"`}: its manifest is missing`
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'Z_BUF_ERROR') return `it is truncated${after === undefined ? '' : ` after "${after}"`}`
  if (code?.startsWith('Z_')) {
    return after === undefined
      ? `it is not an Ion snapshot, or it is damaged: ${messageOf(error)}`
      : `it is damaged after "${after}": ${messageOf(error)}`
  }
  return messageOf(error)
}

async function headerOf(entry: ReadEntry): Promise<SnapshotHeader> {
  if (entry.name !== HEADER_NAME || entry.size > MAX_HEADER) throw new Error('not an Ion snapshot')
  const pieces: Buffer[] = []
  for await (const piece of entry.content) pieces.push(piece)
  return parseSnapshotHeader(Buffer.concat(pieces).toString('utf8'))
}

/** Throws when the manifest is incomplete: nothing in the file can be trusted without it. */
async function manifestOf(entry: ReadEntry): Promise<SnapshotSession[]> {
  if (entry.size > MAX_MANIFEST) throw new Error('its manifest is too large')
  const sessions: SnapshotSession[] = []
  const hash = createHash('sha256')
  let isEnded = false
  for await (const line of linesOf(entry.content)) {
    if (isEnded) throw new Error('its manifest continues after its end')
    const read = parseManifestLine(line)
    if ('end' in read) {
      if (read.sessions !== sessions.length || read.sha256 !== hash.digest('hex')) {
        throw new Error('its manifest has changed since it was written')
      }
      isEnded = true
    } else {
      sessions.push(read)
      hash.update(`${line}\n`)
    }
  }
  if (!isEnded) throw new Error('its manifest has no end')
  return sessions
}

async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const lines = new LineSplitter(MAX_MANIFEST)
  for await (const piece of content) yield* lines.add(piece)
  if (lines.isMidLine) throw new Error('its manifest ends in the middle of a line')
}

/** The checksum of an entry; rows are checked one by one on the way. */
async function checkEntry(entry: ReadEntry, rehearsal: Rehearsal, problems: string[]): Promise<Seen> {
  const { name, size } = entry
  const [agent, , kind] = name.split('/')
  const backup = agents.find(({ id }) => id === agent)?.backup
  const rows = kind === 'rows' && backup ? new RowsCheck(backup.tables ?? [], rehearsal) : undefined
  const hash = createHash('sha256')
  let start = ''
  for await (const piece of entry.content) {
    hash.update(piece)
    rows?.add(piece)
    if (start.length < SQLITE_START.length) start += piece.toString('latin1', 0, SQLITE_START.length)
  }
  const problem = rows?.finish()
  if (problem !== undefined) problems.push(`"${name}": ${problem}`)
  const isDatabase = start === '' || start.startsWith(SQLITE_START)
  return { name, size, sha256: hash.digest('hex'), isDatabase }
}

/** The manifest and the tar must have the same parts in the same order. */
function differences(sessions: readonly SnapshotSession[], seen: readonly Seen[]): string[] {
  const problems: string[] = []
  const names = new Set<string>()
  let at = 0
  for (const session of sessions) {
    const { agent, id, native_id } = session
    if (id !== sessionId(agent, native_id)) problems.push(`${agent} ${id} is not the id of the session "${native_id}"`)
    for (const part of session.parts) {
      const name = entryName(session, part)
      const entry = seen[at++]
      if (names.has(name)) return [...problems, `"${name}" appears twice`]
      names.add(name)
      if (entry?.name !== name) return [...problems, `"${name}" is not where the manifest lists it`]
      if (entry.size !== part.size || entry.sha256 !== part.sha256) {
        problems.push(`"${name}" is damaged: its checksum does not match`)
      } else if (part.kind === 'file' && part.form === 'database' && !entry.isDatabase) {
        problems.push(`"${name}" is not a database`)
      }
    }
  }
  if (at < seen.length) problems.push(`"${seen[at]!.name}" is not in the manifest`)
  return problems
}
