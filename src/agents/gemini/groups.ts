import { basename, dirname } from 'node:path'
import { parseLines } from '../../native/line-window.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { pathsIn } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { attempt } from '../../platform/error.ts'

/** `session-2026-11-15T18-44-<8 letters>.jsonl`, or with the milliseconds of an import for the time. */
const NAMED = /^session-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(.{8})\.jsonl?$|^session-(\d{13})-(.{8})\.jsonl?$/

export const CHAT_FILE = /^session-.*\.jsonl?$/

/**
 * Files with the same key may belong to one session: each resume leaves another file that ends in the first eight letters of
 * the session's id, and a `.json` that is resumed gets a `.jsonl` beside it.
 */
export function groupKey(name: string): string {
  const match = NAMED.exec(name)
  return match ? `-${match[4] ?? match[6]}` : name.replace(/\.jsonl?$/, '')
}

/** The time in the file's name, for records without one. */
export function nameTime(path: string): string | number | undefined {
  const match = NAMED.exec(basename(path))
  if (!match) return undefined
  return match[5] ? Number(match[5]) : `${match[1]}T${match[2]}:${match[3]}:00Z`
}

/** A sub-agent's file is in a folder named after its parent session. */
export function parentOf(path: string): string | undefined {
  const folder = dirname(path)
  // A project in a folder called `chats` has its sessions in `chats/chats`.
  if (basename(folder) === 'chats') return undefined
  return basename(dirname(folder)) === 'chats' ? basename(folder) : undefined
}

/** All files of the session whose main file is `path`, in the order of their creation. */
export function filesOfSession(path: string, native: string, reading: ReadContext): string[] {
  if (parentOf(path)) return [path]
  const files: string[] = []
  for (const file of pathsIn(dirname(path), CHAT_FILE, reading)) {
    if (typeof file !== 'string' || groupKey(basename(file)) !== groupKey(basename(path))) continue
    if (file === path || attempt(() => sessionIdIn(file, reading)) === native) files.push(file)
  }
  return files.length ? files : [path]
}

/** The id on the first line of a file; in a `.json` among its first keys. */
function sessionIdIn(path: string, reading: ReadContext): string | undefined {
  const bytes = readHead(path, 4096, reading)
  const [first] = parseLines(bytes, 'head')
  return asString(first?.sessionId) ?? /"sessionId"\s*:\s*"([^"\\]+)"/.exec(bytes.toString('utf8'))?.[1]
}
