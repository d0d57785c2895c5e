import { basename, dirname, join } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, revisionOf } from '../../native/file-head.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { type FileStamp, foldersIn, stampsIn, subfolders } from '../../native/walk.ts'
import { attempt } from '../../platform/error.ts'
import type { Source } from '../agent.ts'
import { type Described, describeFile } from './describe.ts'
import { CHAT_FILE, groupKey, nameTime, parentOf } from './groups.ts'
import { tmpFolder } from './paths.ts'
import { isHash, projectsOf } from './projects.ts'

const SAVED = /^checkpoint(-.+)?\.json$/

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const tmp = tmpFolder(reading.io)
  const folders: string[] = []
  for (const folder of subfolders(tmp, reading)) {
    if (typeof folder === 'string') folders.push(folder)
    else yield folder
  }
  // Gemini copies a folder named by a hash into the slug's folder: together they are one, the slug's files first.
  const slugOf = (folder: string): string | undefined => {
    const slug = isHash(folder) ? projectsOf(reading).slugOf(folder) : undefined
    return slug && folders.includes(slug) ? slug : undefined
  }
  for (const folder of folders) {
    if (slugOf(folder)) continue
    const copied = folders.filter((other) => slugOf(other) === folder)
    yield* projectSources(
      [folder, ...copied].map((name) => join(tmp, name)),
      reading,
    )
  }
}

function* projectSources(folders: readonly string[], reading: ReadContext): Generator<Source | Problem> {
  const groups = new Map<string, FileStamp[]>()
  for (const folder of folders) {
    for (const stamp of projectFiles(folder, reading)) {
      if (isProblem(stamp)) yield stamp
      else groups.set(sourceKey(stamp.path), [...(groups.get(sourceKey(stamp.path)) ?? []), stamp])
    }
  }
  for (const files of groups.values()) yield { path: files[0]!.path, files }
}

function* projectFiles(folder: string, reading: ReadContext): Generator<FileStamp | Problem> {
  const chats = join(folder, 'chats')
  yield* stampsIn(chats, CHAT_FILE, reading)
  for (const parent of foldersIn(chats, reading)) {
    // A folder that cannot be listed was reported above.
    if (typeof parent === 'string') yield* stampsIn(parent, /\.jsonl$/, reading)
  }
  yield* stampsIn(folder, SAVED, reading)
}

/** The same for files that may belong to one session. */
function sourceKey(path: string): string {
  const name = basename(path)
  const parent = parentOf(path)
  if (parent !== undefined) return `${parent}/${name}`
  return SAVED.test(name) ? `/${name}` : groupKey(name)
}

export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  if (SAVED.test(basename(source.path))) {
    const stamp = source.files[0]
    if (stamp) yield savedHead(stamp, reading)
    return
  }
  const sessions = new Map<string, Part[]>()
  for (const stamp of withoutCopies(source.files)) {
    try {
      const described = describeFile(stamp, reading)
      const native = nativeId(stamp.path, described)
      sessions.set(native, [...(sessions.get(native) ?? []), { stamp, described }])
    } catch (error) {
      yield cannotRead(stamp.path, error)
    }
  }
  for (const [native, parts] of sessions) {
    const spoken = parts.filter(({ described }) => described.spoken)
    // A start without a prompt, and what a resume leaves beside the real file, is not a session.
    const main = spoken.find(({ stamp }) => stamp.path.endsWith('.jsonl')) ?? spoken[0]
    if (main) yield chatHead(native, main, parts, source, reading)
  }
}

interface Part {
  readonly stamp: FileStamp
  readonly described: Described
}

/** A file of the same name in the hash folder is the older copy. */
function withoutCopies(files: readonly FileStamp[]): FileStamp[] {
  const names = new Set<string>()
  return files.filter(({ path }) => !names.has(basename(path)) && names.add(basename(path)))
}

function nativeId(path: string, described: Described): string {
  const stem = basename(path).replace(/\.jsonl?$/, '')
  const parent = parentOf(path)
  return parent ? `${parent}/${stem}` : (described.session ?? stem)
}

function chatHead(
  native: string,
  main: Part,
  parts: readonly Part[],
  source: Source,
  reading: ReadContext,
): SessionHead {
  const { path, mtimeMs } = main.stamp
  const { described } = main
  const parent = parentOf(path)
  const isSubAgent = parent !== undefined || described.kind === 'subagent'
  const cwd = cwdOf(dirname(parent ? dirname(dirname(path)) : dirname(path)), reading)
  return {
    ...fileHead('gemini', native, [main.stamp]),
    title: titleFrom(described.summary ?? '') ?? described.prompt ?? null,
    cwd,
    created_at: described.created ?? toIso(nameTime(path)) ?? null,
    updated_at: described.updated ?? toIso(mtimeMs) ?? null,
    model: described.model ?? null,
    bytes: parts.reduce((sum, part) => sum + part.stamp.size, 0),
    revision: revisionOf(source.files),
    format: path.endsWith('.json') ? 'json' : 'jsonl',
    resumable: !isSubAgent && cwd !== null && described.resumable,
    ...(parent ? { parent_session: sessionId('gemini', parent) } : {}),
  }
}

/** A tag that the user saved; only the running program can load it. */
function savedHead(stamp: FileStamp, reading: ReadContext): SessionHead {
  const { path } = stamp
  const folder = dirname(path)
  const head = fileHead('gemini', `${basename(folder)}/${basename(path, '.json')}`, [stamp])
  return {
    ...head,
    title: titleFrom(tagOf(path)),
    cwd: cwdOf(folder, reading),
    created_at: head.updated_at,
    format: 'checkpoint',
    resumable: false,
  }
}

function tagOf(path: string): string {
  const tag = SAVED.exec(basename(path))?.[1]?.slice(1) ?? 'checkpoint'
  return attempt(() => decodeURIComponent(tag)) ?? tag
}

function cwdOf(folder: string, reading: ReadContext): string | null {
  return projectsOf(reading).cwdOf(basename(folder))
}
