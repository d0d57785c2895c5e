import { basename, dirname, join } from 'node:path'
import { isUuid, sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { parseLines } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, listFolder, noteFolder, stampOf } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { parseFlatYaml } from './flat-yaml.ts'
import { sessionFolders } from './paths.ts'
import { type CopilotRecord, dataOf, machineSubtype } from './records.ts'

/** Enough for the first answer behind the first system prompt (22 KB). */
const HEAD = 64 * 1024
const TAIL = 32 * 1024
/** The name in workspace.yaml is the whole first prompt; its first line is near the start. */
const WORKSPACE = 16 * 1024

/** A session that is in two folders is listed from the one in use: the other is what was left behind by moving it. */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const listed = new Set<string>()
  for (const folder of sessionFolders(reading.io)) {
    for (const entry of listFolder(folder, reading)) {
      if (isProblem(entry)) {
        yield entry
        continue
      }
      if (entry.name.startsWith('.')) continue
      const place = join(folder, entry.name)
      const files = filesOf(place)
      const main = files[0]
      // Opened, and no prompt yet: the events come with the first one.
      if (!main) noteFolder(place, reading)
      const native = main && nativeId(main.path)
      if (!main || !native || listed.has(native)) continue
      listed.add(native)
      yield { path: main.path, files }
    }
  }
}

/** A session is a folder; in early versions it was a single file. */
function filesOf(path: string): FileStamp[] {
  if (path.endsWith('.jsonl')) return stamps(path)
  const [events, workspace] = [join(path, 'events.jsonl'), join(path, 'workspace.yaml')]
  const found = stamps(events)
  return found.length ? [...found, ...stamps(workspace)] : []
}

function stamps(path: string): FileStamp[] {
  const stamp = stampOf(path)
  return stamp ? [stamp] : []
}

function nativeId(path: string): string {
  return isFlat(path) ? basename(path, '.jsonl') : basename(dirname(path))
}

function isFlat(path: string): boolean {
  return basename(path) !== 'events.jsonl'
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  const events = files[0]
  if (!events) return
  try {
    const first: CopilotRecord[] = parseLines(readHead(path, Math.min(HEAD, events.size), reading), 'head')
    const last: CopilotRecord[] =
      events.size <= HEAD ? first : parseLines(readTail(path, Math.min(TAIL, events.size), reading), 'tail')
    const native = nativeId(path)
    yield {
      ...describe(first, last, workspaceOf(files, reading), native),
      id: sessionId('copilot', native),
      agent: 'copilot',
      native_id: native,
      path,
      // workspace.yaml does not tell: its own time stands still after the first turn.
      updated_at: toIso(lastOf(last, (record) => record.timestamp)) ?? toIso(events.mtimeMs) ?? null,
      bytes: files.reduce((sum, file) => sum + file.size, 0),
      revision: files.map((file) => `${file.ino}:${file.size}:${file.mtimeMs}`).join(' '),
      format: isFlat(path) ? 'events-jsonl-flat' : 'events-jsonl',
      // Only files that begin with session.start were seen to load; the old flat files were not tried.
      resumable: first[0]?.type === 'session.start' && !isFlat(path),
    }
  } catch (error) {
    yield cannotRead(path, error)
  }
}

/** Empty where the session has none, or one that cannot be read: the events tell nearly the same. */
function workspaceOf(files: readonly FileStamp[], reading: ReadContext): Map<string, string> {
  const workspace = files[1]
  if (!workspace) return new Map()
  try {
    return parseFlatYaml(readHead(workspace.path, Math.min(WORKSPACE, workspace.size), reading).toString('utf8'))
  } catch {
    return new Map()
  }
}

type Described = Pick<SessionHead, 'title' | 'cwd' | 'created_at' | 'model' | 'agent_version' | 'git' | 'forked_from'>

function describe(
  first: readonly CopilotRecord[],
  last: readonly CopilotRecord[],
  workspace: ReadonlyMap<string, string>,
  native: string,
): Described {
  const both = [...first, ...last]
  const start = dataOf(first.find((record) => record.type === 'session.start') ?? {})
  const context = asObject(start.context) ?? {}
  const branch = workspace.get('branch') || asString(context.branch)
  const commit = asString(context.headCommit)
  const parent = firstOf(both, (record) => parentSession(record, native))
  return {
    title: titleFrom(workspace.get('name') ?? '') ?? firstPrompt(both),
    // Where a resume goes: to the folder in workspace.yaml, whatever the start says.
    cwd: workspace.get('cwd') || asString(context.cwd) || null,
    created_at: toIso(start.startTime ?? workspace.get('created_at') ?? first[0]?.timestamp) ?? null,
    model: lastOf(both, modelOf) ?? null,
    agent_version: asString(start.copilotVersion) ?? null,
    ...(branch || commit ? { git: { ...(branch ? { branch } : {}), ...(commit ? { commit } : {}) } } : {}),
    ...(parent ? { forked_from: sessionId('copilot', parent) } : {}),
  }
}

/** The model of the session itself, not of its sub-agents. */
function modelOf(record: CopilotRecord): string | undefined {
  if (record.agentId !== undefined) return undefined
  const data = dataOf(record)
  if (record.type === 'assistant.message') return asString(data.model)
  if (record.type === 'session.model_change') return asString(data.newModel)
  if (record.type === 'session.start' || record.type === 'session.resume') return asString(data.selectedModel)
  return undefined
}

const FORKED_FROM = /\bfrom\b.*\(([0-9a-f]{8}-[0-9a-f-]{27})\)/i

/**
 * A fork is a copy with a new id. Two things in it name the other session: a notice, and the usage records that were
 * copied, which tell in which session the tokens were spent (a sub-agent counts as a session there, and is none).
 * The notice in the parent says "into", which is no parent.
 */
function parentSession(record: CopilotRecord, native: string): string | undefined {
  const data = dataOf(record)
  let parent: string | undefined
  if (record.type === 'session.info' && data.infoType === 'fork') {
    parent = FORKED_FROM.exec(asString(data.message) ?? '')?.[1]
  } else if (record.type === 'session.usage_record' && record.agentId === undefined) {
    parent = asString(asObject(asObject(data.usage)?.accounting)?.sourceSessionId)
  }
  return parent && isUuid(parent) && parent !== native ? parent : undefined
}

function firstPrompt(records: readonly CopilotRecord[]): string | null {
  const prompt = records.find((record) => record.type === 'user.message' && !machineSubtype(record))
  return titleFrom(asString(dataOf(prompt ?? {}).content) ?? '')
}

function firstOf<T>(records: readonly CopilotRecord[], pick: (record: CopilotRecord) => T | undefined): T | undefined {
  for (const record of records) {
    const value = pick(record)
    if (value) return value
  }
  return undefined
}

function lastOf<T>(records: readonly CopilotRecord[], pick: (record: CopilotRecord) => T | undefined): T | undefined {
  return firstOf(records.toReversed(), pick)
}
