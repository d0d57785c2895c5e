import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, firstOf, headOrProblem, lastOf, readSideFile } from '../../native/file-head.ts'
import { linesBackward, linesForward } from '../../native/line-window.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
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
    const { named, ...common } = describe(first, last)
    // Killed at once, or on a full disk: Claude Code does not find such a session.
    const isEmpty =
      stamp.size <= TAIL && ![...first, ...last].some(({ type }) => type === 'user' || type === 'assistant')
    const head = fileHead('claude', nativeId(path), files)
    return {
      ...head,
      ...common,
      ...identify(path, reading, named, common.title),
      ...(isEmpty ? { resumable: false } : {}),
      format: 'jsonl',
      updated_at: common.updated_at ?? head.updated_at,
    }
  })
}

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
    for (const record of linesForward(readHead(path, Math.min(window, size), reading)) as Iterable<ClaudeRecord>) {
      records.push(record)
      if (record.cwd && firstPrompt([record]) !== null) return records
    }
    if (size <= window) return records
  }
  return records
}

const TITLE_RECORDS = ['"type":"custom-title"', '"type":"ai-title"', '"type":"summary"']

/** The last records, in order: back to the last that names the model, and all that give a title. */
function lastRecords(path: string, reading: ReadContext): ClaudeRecord[] {
  const bytes = readTail(path, TAIL, reading)
  const titles = TITLE_RECORDS.filter((mark) => bytes.includes(mark))
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
  'title' | 'cwd' | 'created_at' | 'updated_at' | 'model' | 'agent_version' | 'git' | 'forked_from'
> & { readonly named: string | null }

/** What the first and the last records say. */
function describe(first: readonly ClaudeRecord[], last: readonly ClaudeRecord[]): Described {
  const both = [...first, ...last]
  const named = titleFrom(lastOf(both, (record) => asString(record.customTitle)) ?? '')
  const given = lastOf(both, (record) => asString(record.aiTitle)) ?? lastOf(both, (record) => asString(record.summary))
  const branch = firstOf(both, (record) => asString(record.gitBranch))
  const fork = firstOf(both, (record) => asString(record.forkedFrom?.sessionId))
  return {
    named,
    title: named ?? (given ? titleFrom(given) : firstPrompt(both)),
    cwd: firstOf(both, (record) => asString(record.cwd)) ?? null,
    created_at: toIso(firstOf(both, (record) => asString(record.timestamp))) ?? null,
    updated_at: toIso(lastOf(last, (record) => asString(record.timestamp))) ?? null,
    model: lastOf(both, modelOf) ?? null,
    agent_version: lastOf(both, (record) => asString(record.version)) ?? null,
    ...(branch ? { git: { branch } } : {}),
    ...(fork ? { forked_from: sessionId('claude', fork) } : {}),
  }
}

function modelOf(record: ClaudeRecord): string | undefined {
  const model = asString(((record.message ?? {}) as { model?: unknown }).model)
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

type Identity = Pick<SessionHead, 'title' | 'resumable' | 'parent_session' | 'spawned_by'>

/** A sub-agent's file is in the folder of its parent, with a description beside it. */
function identify(path: string, reading: ReadContext, named: string | null, otherwise: string | null): Identity {
  const beside = path.slice(0, -'.jsonl'.length)
  if (!isSubAgent(path)) {
    return { title: named ?? titleFile(join(beside, 'custom-title.json'), reading) ?? otherwise, resumable: true }
  }
  const meta = readSideFile(`${beside}.meta.json`, reading)
  const call = asString(meta.toolUseId)
  return {
    title: titleFrom(asString(meta.description) ?? '') ?? otherwise,
    resumable: false,
    parent_session: sessionId('claude', basename(dirname(dirname(path)))),
    ...(call ? { spawned_by: call } : {}),
  }
}

function titleFile(path: string, reading: ReadContext): string | null {
  // Hardly any session has one: a stat is cheaper than failing to open.
  return stampOf(path) ? titleFrom(asString(readSideFile(path, reading).customTitle) ?? '') : null
}
