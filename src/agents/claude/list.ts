import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { linesBackward, linesForward } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { stampOf, stampsIn, subfolders } from '../../native/walk.ts'
import { readHead, readTail, readWhole } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { projectsFolder } from './paths.ts'
import { type ClaudeRecord, machineSubtype, SYNTHETIC } from './records.ts'

/** The first prompt is nearly always near the start; where it is not, it stands behind attachments of up to 36 KB. */
const HEADS = [8 * 1024, 96 * 1024]
const TAIL = 16 * 1024

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const root = projectsFolder(reading.io)
  for (const project of subfolders(root, reading)) {
    if (isProblem(project)) yield project
    else yield* projectSources(join(root, project), reading)
  }
}

function* projectSources(folder: string, reading: ReadContext): Generator<Source | Problem> {
  yield* sessionFiles(folder, /\.jsonl$/, reading)
  for (const session of subfolders(folder, reading)) {
    if (typeof session !== 'string' || session === 'memory') continue
    yield* sessionFiles(join(folder, session, 'subagents'), /^agent-.*\.jsonl$/, reading)
  }
}

function* sessionFiles(folder: string, pattern: RegExp, reading: ReadContext): Generator<Source | Problem> {
  for (const stamp of stampsIn(folder, pattern, reading)) {
    yield isProblem(stamp) ? stamp : { path: stamp.path, files: [stamp] }
  }
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  const stamp = source.files[0]
  if (!stamp) return
  try {
    const { named, ...common } = describe(firstRecords(path, stamp.size, reading), lastRecords(path, reading))
    yield {
      ...common,
      ...identify(path, reading, named, common.title),
      agent: 'claude',
      path,
      bytes: stamp.size,
      revision: `${stamp.ino}:${stamp.size}:${stamp.mtimeMs}`,
      format: 'jsonl',
      updated_at: common.updated_at ?? toIso(stamp.mtimeMs) ?? null,
    }
  } catch (error) {
    yield cannotRead(path, error)
  }
}

/** The first records, up to the first prompt. */
function firstRecords(path: string, size: number, reading: ReadContext): ClaudeRecord[] {
  let records: ClaudeRecord[] = []
  for (const window of HEADS) {
    records = []
    for (const record of linesForward(readHead(path, Math.min(window, size), reading)) as Iterable<ClaudeRecord>) {
      records.push(record)
      if (record.cwd && firstPrompt([record]) !== null) return records
    }
    if (size <= window) return records
  }
  return records
}

const TELLS_TITLE = ['"type":"custom-title"', '"type":"ai-title"', '"type":"summary"']

/** The last records, in their order: back to the last that tells the model, and all that give a title. */
function lastRecords(path: string, reading: ReadContext): ClaudeRecord[] {
  const bytes = readTail(path, TAIL, reading)
  const titles = TELLS_TITLE.filter((mark) => bytes.includes(mark))
  const records: ClaudeRecord[] = []
  let enough = false
  const wanted = (line: string): boolean => !enough || titles.some((mark) => line.includes(mark))
  for (const record of linesBackward(bytes, wanted) as Iterable<ClaudeRecord>) {
    records.push(record)
    enough ||= modelOf(record) !== undefined
    if (enough && titles.length === 0) break
  }
  return records.reverse()
}

type Described = Pick<
  SessionHead,
  'title' | 'cwd' | 'created_at' | 'updated_at' | 'model' | 'agent_version' | 'git'
> & {
  readonly named: string | null
  readonly forked_from?: string
}

/** What the first and the last records tell. */
function describe(first: readonly ClaudeRecord[], last: readonly ClaudeRecord[]): Described {
  const both = [...first, ...last]
  const named = titleFrom(lastOf(both, (record) => record.customTitle) ?? '')
  const given = lastOf(both, (record) => record.aiTitle) ?? lastOf(both, (record) => record.summary)
  const branch = firstOf(both, (record) => record.gitBranch)
  const fork = firstOf(both, (record) => record.forkedFrom?.sessionId)
  return {
    named,
    title: named ?? (given ? titleFrom(given) : firstPrompt(both)),
    cwd: firstOf(both, (record) => record.cwd) ?? null,
    created_at: toIso(firstOf(both, (record) => record.timestamp)) ?? null,
    updated_at: toIso(lastOf(last, (record) => record.timestamp)) ?? null,
    model: lastOf(both, modelOf) ?? null,
    agent_version: lastOf(both, (record) => record.version) ?? null,
    ...(branch ? { git: { branch } } : {}),
    ...(fork ? { forked_from: sessionId('claude', fork) } : {}),
  }
}

function modelOf(record: ClaudeRecord): unknown {
  const { model } = (record.message ?? {}) as { model?: unknown }
  return model === SYNTHETIC ? undefined : model
}

function firstPrompt(records: readonly ClaudeRecord[]): string | null {
  for (const record of records) {
    if (record.type !== 'user' || record.isMeta || record.isCompactSummary) continue
    const { content } = (record.message ?? {}) as { content?: unknown }
    const texts = typeof content === 'string' ? [content] : Array.isArray(content) ? content.map(textOfBlock) : []
    const text = texts.find((part) => part.trim() !== '' && machineSubtype(part) === undefined)
    if (text) return titleFrom(text)
  }
  return null
}

function textOfBlock(block: { type?: unknown; text?: unknown }): string {
  return block?.type === 'text' && typeof block.text === 'string' ? block.text : ''
}

type Identity = Pick<SessionHead, 'id' | 'native_id' | 'title' | 'resumable' | 'parent_session' | 'spawned_by'>

/** A main file is named after its session; a sub-agent's stands in the folder of its parent and has a file beside it. */
function identify(path: string, reading: ReadContext, named: string | null, otherwise: string | null): Identity {
  const name = basename(path, '.jsonl')
  const folder = dirname(path)
  if (basename(folder) !== 'subagents') {
    const title = named ?? titleFile(join(folder, name, 'custom-title.json'), reading) ?? otherwise
    return { id: sessionId('claude', name), native_id: name, title, resumable: true }
  }
  const parent = basename(dirname(folder))
  const meta = readJson(join(folder, `${name}.meta.json`), reading)
  const call = asString(meta.toolUseId)
  return {
    id: sessionId('claude', `${parent}/${name}`),
    native_id: `${parent}/${name}`,
    title: titleFrom(asString(meta.description) ?? '') ?? otherwise,
    resumable: false,
    parent_session: sessionId('claude', parent),
    ...(call ? { spawned_by: call } : {}),
  }
}

function titleFile(path: string, reading: ReadContext): string | null {
  // Nearly no session has one: asking is cheaper than failing to open.
  return stampOf(path) ? titleFrom(asString(readJson(path, reading).customTitle) ?? '') : null
}

/** A small side file; an empty object when it is not there or not JSON. */
function readJson(path: string, reading: ReadContext): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(readWhole(path, reading).toString('utf8'))) ?? {}
  } catch {
    return {}
  }
}

/** The first text that is one: any field of any record may be missing or of another type. */
function firstOf(records: readonly ClaudeRecord[], pick: (record: ClaudeRecord) => unknown): string | undefined {
  for (const record of records) {
    const value = pick(record)
    if (value && typeof value === 'string') return value
  }
  return undefined
}

function lastOf(records: readonly ClaudeRecord[], pick: (record: ClaudeRecord) => unknown): string | undefined {
  return firstOf(records.toReversed(), pick)
}
