import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, firstOf, headOrProblem, lastOf, readSideFile } from '../../native/file-head.ts'
import { linesBackward, linesForward, windowText } from '../../native/line-window.ts'
import { asString } from '../../native/narrow.ts'
import { oncePerRead, type ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { fileSources, foldersIn, stampOf, subfolders } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { projectsFolder } from './paths.ts'
import { type ClaudeRecord, machineSubtype, SYNTHETIC } from './records.ts'

/** The first prompt is nearly always near the start; otherwise it follows attachments of up to 36 KB. */
const HEADS = [8 * 1024, 96 * 1024]
const TAIL = 16 * 1024

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  for (const project of foldersIn(projectsFolder(reading.io), reading)) {
    if (isProblem(project)) yield project
    else if (!reading.isUnchanged?.(project)) yield* projectSources(project, reading)
  }
}

function* projectSources(folder: string, reading: ReadContext): Generator<Source | Problem> {
  yield* fileSources(folder, /\.jsonl$/, reading)
  for (const session of subfolders(folder, reading)) {
    if (isProblem(session) || session === 'memory') continue
    yield* fileSources(join(folder, session, 'subagents'), /^agent-.*\.jsonl$/, reading)
  }
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  const stamp = files[0]
  if (!stamp) return
  yield* headOrProblem(path, () => {
    const first = firstRecords(path, stamp.size, reading)
    const last = lastRecords(path, reading)
    const both = [...first, ...last]
    // Not by spreading: V8 would convert the copy again with each field that is set.
    const head: GrowingHead = Object.assign(fileHead('claude', nativeId(path), files), {
      format: 'jsonl',
      resumable: true,
    })
    describe(head, both, last)
    identify(head, both, reading)
    // Killed at once, or on a full disk: Claude Code does not find such a session.
    if (stamp.size <= TAIL && !both.some(({ type }) => type === 'user' || type === 'assistant')) head.resumable = false
    return head
  })
}

/** A head that is completed in place: there may be a hundred thousand of them. */
type GrowingHead = { -readonly [K in keyof SessionHead]: SessionHead[K] }

function nativeId(path: string): string {
  const name = basename(path, '.jsonl')
  return isSubAgent(path) ? `${basename(dirname(dirname(path)))}/${name}` : name
}

function isSubAgent(path: string): boolean {
  return basename(dirname(path)) === 'subagents'
}

/** The first records, up to the first prompt. */
function firstRecords(path: string, size: number, reading: ReadContext): ClaudeRecord[] {
  let records: ClaudeRecord[] = []
  for (const window of HEADS) {
    records = []
    const text = windowText(readHead(path, Math.min(window, size), reading))
    for (const record of linesForward(text) as Iterable<ClaudeRecord>) {
      records.push(record)
      if (record.cwd && promptOf(record)) return records
    }
    if (size <= window) return records
  }
  return records
}

const GIVES_TITLE = /"type":"(?:custom-title|ai-title|summary)"/

/** The last records, in order: back to the last that names the model, and all that give a title. */
function lastRecords(path: string, reading: ReadContext): ClaudeRecord[] {
  const text = windowText(readTail(path, TAIL, reading))
  const hasTitles = GIVES_TITLE.test(text)
  const records: ClaudeRecord[] = []
  let enough = false
  const wanted = (line: string): boolean => !enough || GIVES_TITLE.test(line)
  for (const record of linesBackward(text, wanted) as Iterable<ClaudeRecord>) {
    records.push(record)
    enough ||= modelOf(record) !== undefined
    if (enough && !hasTitles) break
  }
  return records.reverse()
}

/** Adds what the records say, except for the title. */
function describe(head: GrowingHead, both: readonly ClaudeRecord[], last: readonly ClaudeRecord[]): void {
  head.cwd = firstOf(both, (record) => asString(record.cwd)) ?? null
  head.created_at = toIso(firstOf(both, (record) => asString(record.timestamp))) ?? null
  head.updated_at = toIso(lastOf(last, (record) => asString(record.timestamp))) ?? head.updated_at
  head.model = lastOf(both, modelOf) ?? null
  head.agent_version = lastOf(both, (record) => asString(record.version)) ?? null
  const branch = firstOf(both, (record) => asString(record.gitBranch))
  if (branch) head.git = { branch }
  const fork = firstOf(both, (record) => asString(record.forkedFrom?.sessionId))
  if (fork) head.forked_from = sessionId('claude', fork)
}

function modelOf(record: ClaudeRecord): string | undefined {
  const model = asString(((record.message ?? {}) as { model?: unknown }).model)
  return model === SYNTHETIC ? undefined : model
}

/** What the user typed; undefined for any other record. */
function promptOf(record: ClaudeRecord): string | undefined {
  if (record.type !== 'user' || record.isMeta || record.isCompactSummary) return undefined
  const { content } = (record.message ?? {}) as { content?: unknown }
  const texts = typeof content === 'string' ? [content] : Array.isArray(content) ? content.map(textOfBlock) : []
  return texts.find((part) => part.trim() !== '' && machineSubtype(part) === undefined)
}

function textOfBlock(block: { type?: unknown; text?: unknown }): string {
  return block?.type === 'text' && typeof block.text === 'string' ? block.text : ''
}

/** Adds the title. A sub-agent's file is in the folder of its parent, with a description beside it. */
function identify(head: GrowingHead, records: readonly ClaudeRecord[], reading: ReadContext): void {
  const named = titleFrom(lastOf(records, (record) => asString(record.customTitle)) ?? '')
  const beside = head.path.slice(0, -'.jsonl'.length)
  if (!isSubAgent(head.path)) {
    head.title = named ?? titleFile(beside, reading) ?? otherTitle(records)
    return
  }
  const meta = readSideFile(`${beside}.meta.json`, reading)
  head.title = titleFrom(asString(meta.description) ?? '') ?? named ?? otherTitle(records)
  head.resumable = false
  head.parent_session = sessionId('claude', basename(dirname(dirname(head.path))))
  const call = asString(meta.toolUseId)
  if (call) head.spawned_by = call
}

function otherTitle(records: readonly ClaudeRecord[]): string | null {
  const given =
    lastOf(records, (record) => asString(record.aiTitle)) ?? lastOf(records, (record) => asString(record.summary))
  return titleFrom(given ?? firstOf(records, promptOf) ?? '')
}

/** The title in the folder beside a session. Hardly any session has one: to look first is cheaper than failing to open. */
function titleFile(folder: string, reading: ReadContext): string | null {
  if (!hasFolder(folder, reading)) return null
  return titleFrom(asString(readSideFile(join(folder, 'custom-title.json'), reading).customTitle) ?? '')
}

/** From this many sessions of one folder on, listing it takes less time than looking for each one's folder. */
const MANY = 8

/** The sessions of each folder that were asked for, and from `MANY` on its sub-folders. */
const foldersBeside = oncePerRead(() => new Map<string, { asked: number; names?: ReadonlySet<unknown> }>())

function hasFolder(path: string, reading: ReadContext): boolean {
  const known = foldersBeside(reading)
  const project = dirname(path)
  const beside = known.get(project) ?? { asked: 0 }
  known.set(project, beside)
  if (++beside.asked < MANY) return stampOf(path) !== undefined
  beside.names ??= new Set(subfolders(project, reading))
  return beside.names.has(basename(path))
}
