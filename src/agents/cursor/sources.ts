import { basename, dirname, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import { databaseStamps } from '../../native/database.ts'
import { oncePerRead, type ReadContext } from '../../native/read-context.ts'
import { type FileStamp, foldersIn, pathsIn, stampOf } from '../../native/walk.ts'
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
    const description = stampOf(join(folder, 'meta.json'), reading)
    const store = databaseStamps(join(folder, 'store.db'), reading)
    const written = (transcripts.get(id) ?? []).map((path) => stampOf(path))
    const files = [...store, description, ...written].filter((stamp) => stamp !== undefined)
    if (store.length) {
      yield { path: join(folder, 'store.db'), files }
      transcripts.delete(id)
      continue
    }
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
    for (const project of foldersIn(join(root, 'chats'), reading)) {
      if (typeof project !== 'string') yield project
      else yield* foldersIn(project, reading)
    }
  }
  for (const root of roots(reading.io)) yield* foldersIn(join(root, 'acp-sessions'), reading)
}

/** `<project>/agent-transcripts/<chat>/<chat>.jsonl`, with sub-agents below; older ones flat, as `.jsonl` or `.txt`. */
function* transcriptPaths(reading: ReadContext): Generator<string | Problem> {
  for (const projects of projectFolders(reading.io)) {
    for (const project of foldersIn(projects, reading)) {
      if (typeof project !== 'string') yield project
      else yield* projectTranscripts(join(project, 'agent-transcripts'), reading)
    }
  }
}

function* projectTranscripts(folder: string, reading: ReadContext): Generator<string | Problem> {
  yield* pathsIn(folder, TRANSCRIPT, reading)
  for (const chat of foldersIn(folder, reading)) {
    if (typeof chat !== 'string') yield chat
    else {
      yield* pathsIn(chat, TRANSCRIPT, reading)
      yield* pathsIn(join(chat, 'subagents'), TRANSCRIPT, reading)
    }
  }
}

export const TRANSCRIPT = /\.(jsonl|txt)$/

/** The chat that a transcript is of: its name. */
export function chatOf(transcript: string): string {
  return basename(transcript).replace(TRANSCRIPT, '')
}

/** The parent of a sub-agent: its transcript is in the parent's folder, which is their only link. */
export function parentOf(transcript: string): string | undefined {
  const folder = dirname(transcript)
  return basename(folder) === 'subagents' ? basename(dirname(folder)) : undefined
}

/** True for a store or transcript that is not the first of its id: a chat resumed in another folder has two. */
export function isSecond(path: string, reading: ReadContext): boolean {
  const first = firstFiles(reading).get(idOf(path))
  return first !== undefined && first !== path
}

/** The first file of each chat, in the order above; it keeps the plain id. */
const firstFiles = oncePerRead((reading) => {
  const firsts = new Map<string, string>()
  for (const source of sources(reading)) {
    if (!isProblem(source) && !firsts.has(idOf(source.path))) firsts.set(idOf(source.path), source.path)
  }
  return firsts
})

function idOf(path: string): string {
  return basename(path) === 'store.db' ? basename(dirname(path)) : chatOf(path)
}
