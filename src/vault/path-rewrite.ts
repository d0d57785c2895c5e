import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PathRewrite } from '../agents/backup.ts'

/** Where a path is now. */
export type Move = (path: string) => string

/** For a home that is another one now: what was in it is in the new one, and everything else is where it was. */
export function movedHome(from: string, to: string): Move {
  return (path) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)
}

/**
 * Text of JSON with the paths in the named fields moved, and every other byte as it was. Inside a string all quotes are
 * escaped, so what looks like a field is one.
 */
export function withMovedFields(text: string, fields: readonly string[], move: Move): string {
  if (fields.length === 0) return text
  const name = fields.map((field) => field.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const string = '"(?:[^"\\\\]|\\\\.)*"'
  const field = new RegExp(`(?<!\\\\)("(?:${name})"\\s*:\\s*)(${string}|\\[(?:\\s*${string}\\s*,?)*\\s*\\])`, 'g')
  return text.replace(field, (all, before: string, value: string) => {
    const moved = value.replace(new RegExp(string, 'g'), (one) => {
      const path = parsed(one)
      const now = path === undefined ? undefined : movedPath(path, move)
      return now === path ? one : JSON.stringify(now)
    })
    return moved === value ? all : before + moved
  })
}

/** A path, or the URL of a file. */
function movedPath(path: string, move: Move): string {
  if (!path.startsWith('file:///')) return move(path)
  try {
    const folder = fileURLToPath(path)
    return move(folder) === folder ? path : pathToFileURL(move(folder)).href
  } catch {
    return path
  }
}

function parsed(string: string): string | undefined {
  try {
    return JSON.parse(string) as string
  } catch {
    return undefined
  }
}

/** The pieces of a file with its lines moved one by one, so that its size does not matter; a file of one value at once. */
export function* movedContent(
  pieces: Iterable<Buffer>,
  moved: PathRewrite,
  isLines: boolean,
  move: Move,
  path = '',
): Generator<Buffer> {
  const change = (bytes: Buffer): Buffer => {
    // Bytes that are no text are left as they are.
    const text = bytes.toString('utf8')
    const fields = withMovedFields(text, moved.fields ?? [], move)
    const now = isLines ? fields : (moved.text?.(path, fields, move) ?? fields)
    return now === text ? bytes : Buffer.from(now)
  }
  let rest = Buffer.alloc(0)
  for (const piece of pieces) {
    const all = Buffer.concat([rest, piece])
    const end = isLines ? all.lastIndexOf(10) + 1 : 0
    if (end > 0) yield change(all.subarray(0, end))
    rest = all.subarray(end)
  }
  if (rest.length > 0) yield change(rest)
}
