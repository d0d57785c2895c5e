import { basename, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, headOrProblem } from '../../native/file-head.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, fileSources, stampOf, stampsIn } from '../../native/walk.ts'
import { readHead, readWhole } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { dataFolder } from './paths.ts'
import { cwdOf, parseJson, parseThread, THREAD_ID, type Thread, updatedAt, versionOf } from './thread.ts'

/** A thread is one JSON text whose title and folder follow its messages, so a list has to parse it. */
export const MAX_THREAD = 64 * 1024 * 1024

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const data = dataFolder(reading.io)
  yield* fileSources(join(data, 'threads'), /^T-.*\.json$/, reading)
  const files: FileStamp[] = []
  const withIds = [
    ...stampsIn(data, /^session\.json$/, reading),
    ...stampsIn(join(data, 'last-threads'), /\.json$/, reading),
  ]
  for (const found of withIds) {
    if (isProblem(found)) yield found
    else files.push(found)
  }
  if (files[0]) yield { path: files[0].path, files }
}

export function heads(source: Source, reading: ReadContext): Iterable<SessionHead | Problem> {
  return THREAD_ID.test(basename(source.path, '.json')) ? threadHead(source, reading) : serverHeads(source, reading)
}

function* threadHead(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path } = source
  yield* headOrProblem(path, () => {
    const thread = parseThread(readWhole(path, reading, MAX_THREAD).toString('utf8'))
    const head = fileHead('amp', basename(path, '.json'), source.files)
    return {
      ...head,
      title: titleFrom(asString(thread.title) || firstPrompt(thread)),
      cwd: cwdOf(thread),
      created_at: toIso(thread.created) ?? null,
      updated_at: updatedAt(thread) ?? head.updated_at,
      model: lastModel(thread),
      agent_version: versionOf(thread),
      format: 'thread-json',
      resumable: true,
      ...(thread.archived === true ? { hidden: true } : {}),
    }
  })
}

/** What is left on the machine since threads moved to the server: `session.json` and `last-threads/*` have some ids. */
function* serverHeads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const seen = new Map<string, FileStamp>()
  for (const file of source.files) {
    try {
      const id = threadId(parseJson(readHead(file.path, Math.min(64 * 1024, file.size), reading).toString('utf8')))
      const known = id === undefined || stampOf(join(dataFolder(reading.io), 'threads', `${id}.json`)) !== undefined
      if (!known && (seen.get(id)?.mtimeMs ?? 0) < file.mtimeMs) seen.set(id, file)
    } catch (error) {
      yield cannotRead(file.path, error)
    }
  }
  for (const [id, file] of seen) {
    yield {
      ...bareHead(id, file.path),
      // When Amp last wrote the id: the thread itself may be newer.
      updated_at: toIso(file.mtimeMs) ?? null,
      revision: `server:${file.mtimeMs}`,
      format: 'server-thread',
    }
  }
}

function threadId(value: unknown): string | undefined {
  const id = asString(value) ?? asString(asObject(value)?.lastThreadId)
  return id !== undefined && THREAD_ID.test(id) ? id : undefined
}

/** What the id alone says; there is no file. */
export function bareHead(native_id: string, path: string): SessionHead {
  return { ...fileHead('amp', native_id, []), path, format: '', resumable: true }
}

function firstPrompt(thread: Thread): string {
  for (const message of asArray(thread.messages) ?? []) {
    const { role, content } = asObject(message) ?? {}
    if (role !== 'user') continue
    const text = (asArray(content) ?? []).map((block) => asString(asObject(block)?.text)).find(Boolean)
    if (text) return text
  }
  return ''
}

function lastModel(thread: Thread): string | null {
  const models = (asArray(thread.messages) ?? []).map((message) => asString(asObject(asObject(message)?.usage)?.model))
  return models.findLast((model) => model !== undefined) ?? null
}
