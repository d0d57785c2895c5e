import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, filesIn, stampOf } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { messageOfFile } from './read-tree.ts'
import { isPlaceholderTitle, type Json, modelOf, type OpenCodeMessage, parseObject, pathOf } from './records.ts'
import { type Tree, treeOf } from './stores.ts'

/** A description is a few hundred bytes, or with the diffs that some versions stored in it, some hundred KB. */
const DESCRIPTION_LIMIT = 4 * 1024 * 1024

/** Larger messages and parts are not opened for a list. */
const GLANCE_LIMIT = 64 * 1024

/** How many messages at each end are read for a title, a folder and a model. */
const GLANCES = 3

/** The description, and the newest message with its newest part: every write changes one of them. */
export function treeStamps(path: string, reading: ReadContext): FileStamp[] {
  const tree = treeOf(path)
  const message = names(tree.messages, reading).at(-1)
  const parts = message ? tree.parts(message) : undefined
  const part = parts ? names(parts, reading).at(-1) : undefined
  const watched = [
    path,
    tree.messages,
    ...(message ? [join(tree.messages, `${message}.json`)] : []),
    ...(parts ? [parts] : []),
    ...(parts && part ? [join(parts, `${part}.json`)] : []),
  ]
  return watched.map(stampOf).filter((stamp) => stamp !== undefined)
}

export function* treeHead(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  let info: Json | undefined
  try {
    info = parseObject(readHead(path, DESCRIPTION_LIMIT, reading).toString('utf8'))
  } catch (error) {
    yield cannotRead(path, error)
    return
  }
  if (!info) {
    yield { code: 'not_json', problem: 'not the description of a session: no JSON object', path }
    return
  }
  yield describe(info, treeOf(path), path, files, reading)
}

function describe(
  info: Json,
  tree: Tree,
  path: string,
  files: readonly FileStamp[],
  reading: ReadContext,
): SessionHead {
  const { session } = tree
  const ids = names(tree.messages, reading)
  const first = glance(tree, ids.slice(0, GLANCES), reading)
  const last = glance(tree, ids.slice(-1), reading)
  const title = asString(info.title)
  const time = asObject(info.time) ?? {}
  const parent = asString(info.parentID)
  const caller = parent ? spawningCall(path, parent, session, time.created, reading) : undefined
  return {
    id: sessionId('opencode', session),
    agent: 'opencode',
    native_id: session,
    path,
    title: titleFrom((title && !isPlaceholderTitle(title) ? title : firstPrompt(first)) ?? ''),
    cwd: asString(info.directory) ?? first.map((message) => asString(pathOf(message).cwd)).find(Boolean) ?? null,
    created_at: toIso(time.created) ?? null,
    updated_at: toIso(time.updated) ?? toIso(files[0]?.mtimeMs) ?? null,
    model: [...last, ...first].map((message) => modelOf(message.info)).find(Boolean) ?? null,
    // Every part is a file: the size is too expensive to compute.
    bytes: 0,
    revision: files.map((file) => `${file.size}:${file.mtimeMs}`).join(' '),
    agent_version: asString(info.version) ?? null,
    format: basename(dirname(path)) === 'info' ? 'json-tree-oldest' : 'json-tree',
    // 1.18.33 does not read the tree.
    resumable: false,
    ...(parent ? { parent_session: sessionId('opencode', parent) } : {}),
    ...(caller ? { spawned_by: caller } : {}),
    ...(time.archived ? { hidden: true } : {}),
  }
}

function glance(tree: Tree, ids: readonly string[], reading: ReadContext): OpenCodeMessage[] {
  return ids.flatMap((id) => messageOfFile(tree, id, reading, GLANCE_LIMIT).message ?? [])
}

function firstPrompt(messages: readonly OpenCodeMessage[]): string | undefined {
  const parts = messages.flatMap(({ info, parts }) => (info.role === 'user' ? parts : []))
  return asString(parts.find((part) => part.type === 'text' && part.synthetic !== true)?.text)
}

/** The call in the parent that started this session: in a message from just before it (ids contain the time). */
function spawningCall(
  path: string,
  parent: string,
  session: string,
  created: unknown,
  reading: ReadContext,
): string | undefined {
  if (typeof created !== 'number') return undefined
  const tree = treeOf(join(dirname(path), `${parent}.json`))
  // One millisecond later: several ids are made in one millisecond, distinguished by a counter.
  const after = `msg_${BigInt.asUintN(48, BigInt(Math.trunc(created) + 1) * 4096n)
    .toString(16)
    .padStart(12, '0')}`
  const before = names(tree.messages, reading).filter((id) => id < after)
  for (const { parts } of glance(tree, before.slice(-GLANCES), reading)) {
    const call = parts.find((part) => asObject(asObject(part.state)?.metadata)?.sessionId === session)
    if (call) return asString(call.callID)
  }
  return undefined
}

function names(folder: string, reading: ReadContext): string[] {
  return [...filesIn(folder, /^[^.].*\.json$/, reading)].flatMap((name) =>
    typeof name === 'string' ? name.slice(0, -'.json'.length) : [],
  )
}
