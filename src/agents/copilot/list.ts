import { basename, dirname, join } from 'node:path'
import { isUuid, sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { endRecords, fileHead, firstOf, headOrProblem, lastOf } from '../../native/file-head.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, listFolder, noteFolder, stampOf } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { parseFlatYaml } from './flat-yaml.ts'
import { sessionFolders } from './paths.ts'
import { type CopilotRecord, dataOf, machineSubtype } from './records.ts'

/** Enough for the first answer after the first system prompt (22 KB). */
const HEAD = 64 * 1024
/** The name in workspace.yaml is the complete first prompt; its first line is near the start. */
const WORKSPACE = 16 * 1024

/** A session in two folders is listed from the one in use: the other was left behind when it was moved. */
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
      const files = filesOf(place, reading)
      const main = files[0]
      // Opened without a prompt: the events are written with the first one.
      if (!main) noteFolder(place, reading)
      const native = main && nativeId(main.path)
      if (!main || !native || listed.has(native)) continue
      listed.add(native)
      yield { path: main.path, files }
    }
  }
}

/** A session is a folder; in early versions it was a single file. */
function filesOf(path: string, reading: ReadContext): FileStamp[] {
  const main = stampOf(path.endsWith('.jsonl') ? path : join(path, 'events.jsonl'))
  const workspace = main?.path === path ? undefined : stampOf(join(path, 'workspace.yaml'), reading)
  return main ? [main, ...(workspace ? [workspace] : [])] : []
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
  yield* headOrProblem(path, () => {
    const { first, last } = endRecords(events, reading, { head: HEAD })
    const native = nativeId(path)
    const head = fileHead('copilot', native, files)
    return {
      ...head,
      ...describe(first, last, workspaceOf(files, reading), native),
      // Not from workspace.yaml, whose time does not change after the first turn.
      updated_at: toIso(lastOf(last, (record) => record.timestamp)) ?? head.updated_at,
      format: isFlat(path) ? 'events-jsonl-flat' : 'events-jsonl',
      // Only files that begin with session.start are known to load; the old flat files were not tried.
      resumable: first[0]?.type === 'session.start' && !isFlat(path),
    }
  })
}

/** Empty where the session has none, or one that cannot be read: the events say nearly the same. */
function workspaceOf(files: readonly FileStamp[], reading: ReadContext): Map<string, string> {
  const workspace = files[1]
  if (!workspace) return new Map()
  try {
    return parseFlatYaml(readHead(workspace.path, Math.min(WORKSPACE, workspace.size), reading).toString('utf8'))
  } catch {
    return new Map()
  }
}

function describe(
  first: readonly CopilotRecord[],
  last: readonly CopilotRecord[],
  workspace: ReadonlyMap<string, string>,
  native: string,
): Pick<SessionHead, 'title' | 'cwd' | 'created_at' | 'model' | 'agent_version' | 'git' | 'forked_from'> {
  const both = [...first, ...last]
  const start = dataOf(first.find((record) => record.type === 'session.start') ?? {})
  const context = asObject(start.context) ?? {}
  const branch = workspace.get('branch') || asString(context.branch)
  const commit = asString(context.headCommit)
  const parent = firstOf(both, (record) => parentSession(record, native))
  return {
    title: titleFrom(workspace.get('name') ?? '') ?? firstPrompt(both),
    // A resume goes to the folder in workspace.yaml, whatever session.start says.
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
 * A fork is a copy with a new id. Two things in it name the original: a notice, and the copied usage records, which say in
 * which session the tokens were spent (a sub-agent counts as a session there, but is not one). The notice in the original
 * says "into" and does not count.
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
