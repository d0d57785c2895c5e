import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem, ReadError } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { withNativeDatabase } from '../../native/database.ts'
import { fileHead, headOrProblem, readSideFile } from '../../native/file-head.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { parseLines } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { attempt } from '../../platform/error.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Source } from '../agent.ts'
import { firstPrompt } from './conversation.ts'
import { messageDrafts, userTextDrafts } from './messages.ts'
import { activeRoot, chatsFolderNames } from './paths.ts'
import { allBytes, type Field, numberOf, textOf } from './protobuf.ts'
import { ROOT } from './records.ts'
import { chatOf, isSecond, parentOf } from './sources.ts'
import { Blobs, readMeta, type StoreMeta } from './store.ts'

const DESCRIPTION_LIMIT = 64 * 1024
const TRANSCRIPT_START = 32 * 1024

interface Chat {
  readonly source: Source
  /** `meta.json`: folder and times without opening the store. Empty when it is missing or damaged. */
  readonly description: JsonObject
  /** Another folder has a chat with the same id, and that one came first. */
  readonly second: boolean
  readonly transcript: FileStamp | undefined
}

/** The store, else the transcript: one session, listed once. */
export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  const description = files.find((file) => basename(file.path) === 'meta.json')
  const chat: Chat = {
    source,
    description: description ? readSideFile(description.path, reading, DESCRIPTION_LIMIT) : {},
    second: isSecond(path, reading),
    transcript: files.find((file) => /\.(jsonl|txt)$/.test(file.path)),
  }
  let listed = false
  if (basename(path) === 'store.db') {
    for (const head of withNativeDatabase(path, (database) => storeHead(database, chat, reading))) {
      listed ||= !isProblem(head)
      yield head
    }
  }
  if (!listed && chat.transcript) yield* transcriptHead(chat.transcript, chat, reading)
}

/** Nothing for a chat that was never used, and for one whose root is missing when its transcript can replace it. */
function* storeHead(database: Database, chat: Chat, reading: ReadContext): Generator<SessionHead | Problem> {
  const { source, description, transcript } = chat
  const { path } = source
  const meta = metaOrProblem(database, path)
  if (isProblem(meta)) {
    yield meta
    return
  }
  if (meta.root === '') return
  const blobs = new Blobs(database, path)
  const found = blobs.message(meta.root, 'the root of the chat')
  if (isProblem(found) && transcript) {
    yield found
    return
  }
  const root = isProblem(found) ? [] : found
  const folder = dirname(path)
  const id = basename(folder)
  const project = basename(dirname(folder))
  const stored = source.files.filter((file) => basename(file.path).startsWith('store.db'))
  const branch = textOf(root, ROOT.branch)
  const parent = meta.subagent?.parent ?? (transcript && parentOf(transcript.path))
  const inChats = dirname(dirname(folder)) === join(activeRoot(reading.io), 'chats')
  yield {
    ...fileHead('cursor', chat.second ? `${project}/${id}` : id, stored),
    title: titleFrom(asString(description.title) || meta.name || firstPrompt(root, blobs) || ''),
    cwd: asString(description.cwd) ?? workspace(root, project) ?? null,
    created_at:
      toIso(description.createdAtMs) ?? toIso(meta.createdAt) ?? toIso(numberOf(root, ROOT.startedMs)) ?? null,
    updated_at: toIso(description.updatedAtMs) ?? toIso(Math.max(...stored.map((file) => file.mtimeMs))) ?? null,
    model: meta.model ?? null,
    // A blob's id is its hash, so the root's id changes with everything below it.
    revision: meta.root,
    format: 'store',
    resumable: inChats && !parent && !isProblem(found),
    ...(branch ? { git: { branch } } : {}),
    ...(parent ? { parent_session: sessionId('cursor', parent) } : {}),
    ...(meta.subagent?.call ? { spawned_by: meta.subagent.call } : {}),
  }
}

/** The file is not a chat, or not yet. Other errors are those of the database, and may pass. */
function metaOrProblem(database: Database, path: string): StoreMeta | Problem {
  try {
    return readMeta(database)
  } catch (error) {
    if (error instanceof ReadError) return cannotRead(path, error, 'cannot read the database')
    throw error
  }
}

/** Without a description: a folder named in the chat, if the chat's folder is named after its hash. */
function workspace(root: readonly Field[], hash: string): string | undefined {
  return allBytes(root, ROOT.workspaces)
    .map((uri) => attempt(() => fileURLToPath(uri.toString('utf8'))))
    .find((path) => path !== undefined && chatsFolderNames(path).includes(hash))
}

/** A transcript has neither folder nor times; a description of the chat may. `resume` does not read it. */
function transcriptHead(
  file: FileStamp,
  { description, second }: Chat,
  reading: ReadContext,
): Generator<SessionHead | Problem> {
  const { path } = file
  const chat = chatOf(path)
  const parent = parentOf(path)
  return headOrProblem(path, () => ({
    ...fileHead('cursor', second ? `${projectOf(path)}/${chat}` : chat, [file]),
    title: titleFrom(asString(description.title) || transcriptPrompt(path, reading) || ''),
    cwd: asString(description.cwd) ?? null,
    created_at: toIso(description.createdAtMs) ?? null,
    format: path.endsWith('.txt') ? 'transcript-text' : 'transcript-jsonl',
    resumable: false,
    ...(parent ? { parent_session: sessionId('cursor', parent) } : {}),
  }))
}

function transcriptPrompt(path: string, reading: ReadContext): string | undefined {
  const start = readHead(path, TRANSCRIPT_START, reading)
  const [firstBlock = ''] = start.toString('utf8').split(/^assistant:\s*$/m)
  const drafts = path.endsWith('.txt')
    ? userTextDrafts(firstBlock.replace(/^user:\s*\n/, ''))
    : parseLines(start, 'head')
        .filter((line) => line.role === 'user')
        .flatMap((line) => messageDrafts({ role: 'user', content: asObject(line.message)?.content }, '') ?? [])
  const typed = drafts.find((draft) => draft.type === 'user')
  return typed?.type === 'user' ? asString(typed.content) : undefined
}

/** The folder of `projects/` that the transcript is in. */
function projectOf(path: string): string {
  const folder = dirname(path)
  return basename(folder) === 'agent-transcripts' || folder === path ? basename(dirname(folder)) : projectOf(folder)
}
