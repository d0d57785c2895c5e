import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { contentText } from '../../events/text.ts'
import { fileHead, headOrProblem, lastOf } from '../../native/file-head.ts'
import { linesBackward, windowText } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { noteFile, stampOf } from '../../native/walk.ts'
import { readTail } from '../../native/window.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Source } from '../agent.ts'
import { draftsOf, newMemory } from './drafts.ts'
import { sessionNames } from './names.ts'
import { archiveFolder, namesFile } from './paths.ts'
import { type CodexRecord, type Payload, payloadOf, type SessionMeta, sessionMeta } from './records.ts'
import { findRollout, firstRecords, isCompressed, parseName, rolloutPaths } from './rollout-file.ts'

/** Enough for the first prompt after the instructions (31 KB in 0.166.0). */
const HEAD = 96 * 1024
const TAIL = 32 * 1024

/**
 * A named session changes with the file of names too. That file is watched like a folder: when it changes, any session may
 * have a new name.
 */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  noteFile(namesFile(reading.io), reading)
  const names = sessionNames(reading)
  for (const path of rolloutPaths(reading)) {
    if (typeof path !== 'string') {
      yield path
      continue
    }
    const stamp = stampOf(path)
    const named = names.stamp && names.byId.has(parseName(basename(path))!.rollout)
    if (stamp) yield { path, files: named ? [stamp, names.stamp] : [stamp] }
  }
}

export function* heads({ path, files: [stamp] }: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const name = parseName(basename(path))
  if (!stamp || !name) return
  const { rollout, thread } = name
  yield* headOrProblem(path, () => {
    let prompt: string | null = null
    const first = firstRecords(path, HEAD, (record) => (prompt = promptOf(record)) !== null, reading)
    const last = isCompressed(path) ? [] : lastRecords(path, reading)
    const meta = sessionMeta(first[0])
    const { payload = {}, historyBase: base } = meta ?? {}
    const turn = lastTurn(last) ?? lastTurn(first)
    const given = titleFrom(sessionNames(reading).byId.get(rollout) ?? '')
    const hidden = path.startsWith(archiveFolder(reading.io))
    const head = fileHead('codex', rollout, [stamp])
    const parent = parentOf(meta, rollout)
    const fork = asString(payload.forked_from_id) ?? base?.rollout
    const branch = asString(asObject(payload.git)?.branch)
    const commit = asString(asObject(payload.git)?.commit_hash)
    return {
      ...head,
      title: given ?? prompt,
      // A session that was resumed in another folder continues there; the first line keeps the old one.
      cwd: asString(turn?.cwd) ?? asString(payload.cwd) ?? null,
      created_at: toIso(payload.timestamp) ?? toIso(first[0]?.timestamp) ?? null,
      updated_at: lastOf(last, (record) => toIso(record.timestamp)) ?? head.updated_at,
      model: asString(turn?.model) || null,
      revision: `${head.revision}:${given ? hash53(given) : ''}`,
      agent_version: asString(payload.cli_version) ?? null,
      format: formatOf(meta),
      resumable: isResumable(meta, reading) && !hidden && parent === undefined && rollout === thread,
      ...(branch || commit ? { git: { ...(branch ? { branch } : {}), ...(commit ? { commit } : {}) } } : {}),
      ...(fork && (parent === undefined || base) ? { forked_from: sessionId('codex', fork) } : {}),
      ...(parent === undefined ? {} : { parent_session: sessionId('codex', parent) }),
      ...(hidden ? { hidden } : {}),
    }
  })
}

const TURN = '"type":"turn_context"'

/** The last record with a time and the last with folder and model, in order; nothing in between is parsed. */
function lastRecords(path: string, reading: ReadContext): CodexRecord[] {
  const records: CodexRecord[] = []
  let timed = false
  const wanted = (line: string): boolean => !timed || line.includes(TURN)
  for (const record of linesBackward(windowText(readTail(path, TAIL, reading)), wanted) as Iterable<CodexRecord>) {
    records.push(record)
    timed ||= toIso(record.timestamp) !== undefined
    if (timed && record.type === 'turn_context') break
  }
  return records.reverse()
}

/** `rollout-fork`: its history begins in another file. `rollout-bare`: without envelopes, so without times. */
function formatOf(meta: SessionMeta | undefined): string {
  if (meta?.historyBase) return 'rollout-fork'
  if (meta?.isBare) return 'rollout-bare'
  return meta?.payload.history_mode === 'paginated' ? 'rollout-paginated' : 'rollout-legacy'
}

/** Codex refuses a file whose first line lacks one of these, and a fork without the file it continues. */
function isResumable(meta: SessionMeta | undefined, reading: ReadContext): boolean {
  const needed = ['timestamp', 'cwd', 'originator', 'cli_version']
  if (!meta || needed.some((key) => typeof meta.payload[key] !== 'string')) return false
  return !meta.historyBase || findRollout(meta.historyBase.rollout, reading) !== undefined
}

/** The thread that started this one as a sub-agent; undefined for the user's own. */
export function parentOf(meta: SessionMeta | undefined, own: string): string | undefined {
  const payload = meta?.payload ?? {}
  const subagent = asObject(payload.source)?.subagent
  if (payload.thread_source !== 'subagent' && subagent === undefined) return undefined
  const spawn = asObject(asObject(subagent)?.thread_spawn)
  const parent = asString(payload.parent_thread_id) ?? asString(spawn?.parent_thread_id) ?? asString(payload.session_id)
  return parent === own ? undefined : parent
}

function lastTurn(records: readonly CodexRecord[]): Payload | undefined {
  const turn = records.findLast((record) => record.type === 'turn_context')
  return turn && payloadOf(turn)
}

function promptOf(record: CodexRecord): string | null {
  // Only items have messages; records without an envelope are items.
  if (record.type !== 'response_item' && record.payload !== undefined) return null
  const said = draftsOf(record, newMemory())?.find((draft) => draft.type === 'user')
  return said?.type === 'user' ? titleFrom(contentText(said.content)) : null
}
