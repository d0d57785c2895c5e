import { basename, dirname, join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import { databaseStamps } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type FileStamp, filesIn, noteFolder, stampOf, subfolders } from '../../native/walk.ts'
import type { Source } from '../agent.ts'
import { projectFolders, roots } from './paths.ts'

/**
 * One source for each chat: its store, description and transcript, whichever exist. They are one session, and the transcript
 * is what is left when the store is missing or damaged.
 */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const transcripts = new Map<string, string[]>()
  for (const path of transcriptPaths(reading)) {
    if (typeof path !== 'string') yield path
    else transcripts.set(chatOf(path), [...(transcripts.get(chatOf(path)) ?? []), path])
  }
  const described = new Map<string, FileStamp>()
  for (const folder of chatFolders(reading)) {
    if (typeof folder !== 'string') {
      yield folder
      continue
    }
    const id = basename(folder)
    const description = stampOf(join(folder, 'meta.json'))
    const store = databaseStamps(join(folder, 'store.db'))
    const written = (transcripts.get(id) ?? []).map(stampOf)
    const files = [...store, description, ...written].filter((stamp) => stamp !== undefined)
    if (store.length) {
      yield { path: join(folder, 'store.db'), files }
      transcripts.delete(id)
      continue
    }
    // Its store may be created later.
    noteFolder(folder, reading)
    if (description) described.set(id, description)
  }
  for (const [id, paths] of transcripts) {
    for (const path of paths) {
      const files = [stampOf(path), described.get(id)].filter((stamp) => stamp !== undefined)
      if (files.length) yield { path, files }
    }
  }
}

/** `chats/<md5 of the folder>/<chat>/`, then `acp-sessions/<chat>/`. */
function* chatFolders(reading: ReadContext): Generator<string | Problem> {
  for (const root of roots(reading.io)) {
    const chats = join(root, 'chats')
    for (const project of subfolders(chats, reading)) {
      if (typeof project !== 'string') yield project
      else yield* inside(join(chats, project), reading)
    }
  }
  for (const root of roots(reading.io)) yield* inside(join(root, 'acp-sessions'), reading)
}

function* inside(folder: string, reading: ReadContext): Generator<string | Problem> {
  for (const name of subfolders(folder, reading)) yield typeof name === 'string' ? join(folder, name) : name
}

/** `<project>/agent-transcripts/<chat>/<chat>.jsonl`, with sub-agents below; older ones flat, as `.jsonl` or `.txt`. */
function* transcriptPaths(reading: ReadContext): Generator<string | Problem> {
  for (const projects of projectFolders(reading.io)) {
    for (const project of subfolders(projects, reading)) {
      if (typeof project !== 'string') {
        yield project
        continue
      }
      const folder = join(projects, project, 'agent-transcripts')
      yield* files(folder, /\.(jsonl|txt)$/, reading)
      for (const chat of subfolders(folder, reading)) {
        if (typeof chat !== 'string') yield chat
        else {
          yield* files(join(folder, chat), /\.(jsonl|txt)$/, reading)
          yield* files(join(folder, chat, 'subagents'), /\.(jsonl|txt)$/, reading)
        }
      }
    }
  }
}

function* files(folder: string, pattern: RegExp, reading: ReadContext): Generator<string | Problem> {
  for (const name of filesIn(folder, pattern, reading)) yield typeof name === 'string' ? join(folder, name) : name
}

/** The chat that a transcript is of: its name. */
export function chatOf(transcript: string): string {
  return basename(transcript).replace(/\.(jsonl|txt)$/, '')
}

/** The parent of a sub-agent: its transcript is in the parent's folder, which is their only link. */
export function parentOf(transcript: string): string | undefined {
  const folder = dirname(transcript)
  return basename(folder) === 'subagents' ? basename(dirname(folder)) : undefined
}

/** The first file of each chat, in the order above; it keeps the plain id. Computed once per ReadContext. */
const known = new WeakMap<ReadContext, Map<string, string>>()

/** True for a store or transcript that is not the first of its id: a chat resumed in another folder has two. */
export function isSecond(path: string, id: string, reading: ReadContext): boolean {
  let firsts = known.get(reading)
  if (!firsts) known.set(reading, (firsts = findFirsts(reading)))
  const first = firsts.get(id)
  return first !== undefined && first !== path
}

function findFirsts(reading: ReadContext): Map<string, string> {
  const firsts = new Map<string, string>()
  for (const source of sources(reading)) {
    if ('problem' in source) continue
    const id = basename(source.path) === 'store.db' ? basename(dirname(source.path)) : chatOf(source.path)
    if (!firsts.has(id)) firsts.set(id, source.path)
  }
  return firsts
}
