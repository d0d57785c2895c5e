import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { firstPrompt } from './conversation.ts'
import { activeRoot } from './paths.ts'
import { allBytes, type Field, numberOf, textOf } from './protobuf.ts'
import { ROOT } from './records.ts'
import { parentOf } from './sources.ts'
import { Blobs, BrokenChat, readMeta, type StoreMeta } from './store.ts'

export interface ChatFacts {
  readonly source: Source
  readonly description: Readonly<Record<string, unknown>>
  /** Another folder has a chat with the same id, and that one came first. */
  readonly second: boolean
  readonly transcript: string | undefined
}

/** Nothing for a chat that was never used, and for one whose root is missing when its transcript can replace it. */
export function* storeHead(
  database: Database,
  facts: ChatFacts,
  reading: ReadContext,
): Generator<SessionHead | Problem> {
  const { source, description } = facts
  const { path } = source
  const meta = metaOf(database, path)
  if (isProblem(meta)) {
    yield meta
    return
  }
  if (meta.root === '') return
  const blobs = new Blobs(database)
  const found = blobs.message(meta.root, 'the root of the chat', path)
  if (isProblem(found) && facts.transcript) {
    yield found
    return
  }
  const root = isProblem(found) ? [] : found
  const folder = dirname(path)
  const chat = basename(folder)
  const native = facts.second ? `${basename(dirname(folder))}/${chat}` : chat
  const cwd = asString(description.cwd) ?? workspace(root, basename(dirname(folder)))
  const stored = source.files.filter((file) => basename(file.path).startsWith('store.db'))
  const branch = textOf(root, ROOT.branch)
  const parent = meta.subagent?.parent ?? (facts.transcript && parentOf(facts.transcript))
  const inChats = dirname(dirname(folder)) === join(activeRoot(reading.io), 'chats')
  yield {
    id: sessionId('cursor', native),
    agent: 'cursor',
    native_id: native,
    path,
    title: titleFrom(asString(description.title) || meta.name || firstPrompt(root, blobs) || ''),
    cwd: cwd ?? null,
    created_at:
      toIso(description.createdAtMs) ?? toIso(meta.createdAt) ?? toIso(numberOf(root, ROOT.startedMs)) ?? null,
    updated_at: toIso(description.updatedAtMs) ?? toIso(Math.max(...stored.map((file) => file.mtimeMs))) ?? null,
    model: meta.model ?? null,
    bytes: stored.reduce((sum, file) => sum + file.size, 0),
    // A blob's id is its hash, so the root's id changes with everything below it.
    revision: meta.root,
    agent_version: null,
    format: 'store',
    resumable: inChats && !parent && !isProblem(found),
    ...(branch ? { git: { branch } } : {}),
    ...(parent ? { parent_session: sessionId('cursor', parent) } : {}),
    ...(meta.subagent?.call ? { spawned_by: meta.subagent.call } : {}),
  }
}

function metaOf(database: Database, path: string): StoreMeta | Problem {
  try {
    return readMeta(database)
  } catch (error) {
    if (error instanceof BrokenChat) return cannotRead(path, error, 'cannot read the database')
    throw error
  }
}

/** Without a description: a folder named in the chat, if the chat's folder is named after its hash. */
function workspace(root: readonly Field[], hash: string): string | undefined {
  return allBytes(root, ROOT.workspaces)
    .map((uri) => localPath(uri.toString('utf8')))
    .find((path) => path !== undefined && createHash('md5').update(path).digest('hex') === hash)
}

function localPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
