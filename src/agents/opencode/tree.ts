import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, firstOf, headOrProblem } from '../../native/file-head.ts'
import { asObject, asString, parsedObject } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { Keyed } from '../../native/translate.ts'
import { type FileStamp, filesIn, stampOf } from '../../native/walk.ts'
import { readHead, readWhole } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { fromFirstFormat, isFirstFormat } from './first-format.ts'
import { isPlaceholderTitle, type Json, modelOf, type OpenCodeMessage } from './records.ts'

/** The JSON trees of older versions: each session, message and part is a file. */

export const JSON_FILE = /^[^.].*\.json$/

/** Where a session of a tree has its messages, and each message its parts. */
export interface Tree {
  readonly session: string
  readonly messages: string
  readonly parts: (message: string) => string
}

export function treeOf(sessionFile: string): Tree {
  const session = basename(sessionFile, '.json')
  const folder = dirname(dirname(sessionFile))
  if (basename(dirname(sessionFile)) === 'info') {
    return {
      session,
      messages: join(folder, 'message', session),
      parts: (message) => join(folder, 'part', session, message),
    }
  }
  const storage = dirname(folder)
  return {
    session,
    messages: join(storage, 'message', session),
    parts: (message) => join(storage, 'part', message),
  }
}

/** A description is a few hundred bytes, or with the diffs that some versions stored in it, some hundred KB. */
const DESCRIPTION_LIMIT = 4 * 1024 * 1024

/** Larger messages and parts are not opened for a list. */
const GLANCE_LIMIT = 64 * 1024

/** How many messages at each end are read for a title, a folder and a model. */
const GLANCES = 3

/** The description, and the newest message with its newest part: every write changes one of them. */
export function treeStamps(path: string, reading: ReadContext): FileStamp[] {
  const tree = treeOf(path)
  const message = ids(tree.messages, reading).at(-1)
  const parts = message && tree.parts(message)
  const part = parts && ids(parts, reading).at(-1)
  const watched = [
    path,
    tree.messages,
    message && join(tree.messages, `${message}.json`),
    parts,
    part && join(parts, `${part}.json`),
  ]
  return watched.flatMap((file) => (file && stampOf(file)) || [])
}

export function treeHead({ path, files }: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  return headOrProblem(path, () => {
    const info = parsedObject(readHead(path, DESCRIPTION_LIMIT, reading).toString('utf8'))
    if (!info) return { code: 'not_json', problem: 'not the description of a session: no JSON object', path }
    return describe(info, path, files, reading)
  })
}

function describe(info: Json, path: string, files: readonly FileStamp[], reading: ReadContext): SessionHead {
  const tree = treeOf(path)
  const { session } = tree
  const messages = ids(tree.messages, reading)
  const first = glance(tree, messages.slice(0, GLANCES), reading)
  const last = glance(tree, messages.slice(-1), reading)
  const title = asString(info.title)
  const time = asObject(info.time) ?? {}
  const parent = asString(info.parentID)
  const caller = parent ? spawningCall(path, parent, session, time.created, reading) : undefined
  return {
    ...fileHead('opencode', session, files),
    title: titleFrom((title && !isPlaceholderTitle(title) ? title : firstPrompt(first)) ?? ''),
    cwd: asString(info.directory) ?? firstOf(first, (message) => asString(asObject(message.info.path)?.cwd)) ?? null,
    created_at: toIso(time.created) ?? null,
    updated_at: toIso(time.updated) ?? toIso(files[0]?.mtimeMs) ?? null,
    model: firstOf([...last, ...first], (message) => modelOf(message.info)) ?? null,
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

function glance(tree: Tree, messages: readonly string[], reading: ReadContext): OpenCodeMessage[] {
  return messages.flatMap((id) => messageOfFile(tree, id, reading, GLANCE_LIMIT).message ?? [])
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
  const before = ids(tree.messages, reading).filter((id) => id < after)
  for (const { parts } of glance(tree, before.slice(-GLANCES), reading)) {
    const call = parts.find((part) => asObject(asObject(part.state)?.metadata)?.sessionId === session)
    if (call) return asString(call.callID)
  }
  return undefined
}

/** The ids of messages or parts, which are the names of their files, in their order. */
function ids(folder: string, reading: ReadContext): string[] {
  return [...filesIn(folder, JSON_FILE, reading)].flatMap((name) =>
    typeof name === 'string' ? basename(name, '.json') : [],
  )
}

/** Messages and parts by name: their ids ascend. */
export function* treeMessages(sessionFile: string, reading: ReadContext): Generator<Keyed<OpenCodeMessage> | Problem> {
  const tree = treeOf(sessionFile)
  for (const name of filesIn(tree.messages, JSON_FILE, reading)) {
    if (typeof name !== 'string') {
      yield name
      continue
    }
    const key = basename(name, '.json')
    const { message, problems } = messageOfFile(tree, key, reading)
    reading.coverage.bad += problems.length
    yield* problems
    if (message) yield { record: message, key }
  }
}

/** A message with its parts, which are separate files or, in the oldest versions, inside the message. */
function messageOfFile(
  tree: Tree,
  id: string,
  reading: ReadContext,
  limit = Number.POSITIVE_INFINITY,
): { readonly message: OpenCodeMessage | undefined; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const info = readObject(join(tree.messages, `${id}.json`), reading, limit, problems)
  if (info && isFirstFormat(info)) return { message: fromFirstFormat(info, id), problems }
  const parts = Array.isArray(info?.parts) ? (info.parts as Json[]) : []
  const folder = tree.parts(id)
  for (const name of filesIn(folder, JSON_FILE, reading)) {
    if (typeof name !== 'string') problems.push(name)
    else {
      const part = readObject(join(folder, name), reading, limit, problems)
      if (part) parts.push({ ...part, id: basename(name, '.json') })
    }
  }
  return { message: info || parts.length ? { info: { ...info, id }, parts } : undefined, problems }
}

function readObject(path: string, reading: ReadContext, limit: number, problems: Problem[]): Json | undefined {
  if ((stampOf(path)?.size ?? 0) > limit) return undefined
  try {
    const value = parsedObject(readWhole(path, reading).toString('utf8'))
    if (!value) problems.push({ code: 'not_json', problem: 'not a JSON object', path })
    return value
  } catch (error) {
    problems.push(cannotRead(path, error))
    return undefined
  }
}
