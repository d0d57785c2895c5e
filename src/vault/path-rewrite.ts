import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PathRewrite } from '../agents/backup.ts'

/** Maps an old path to the new one. */
export type Move = (path: string) => string

/** Moves paths below the old home to the new one; others are unchanged. */
export function moveHome(from: string, to: string): Move {
  return (path) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)
}

/**
 * JSON text with the paths in the given fields rewritten and every other byte unchanged. Quotes inside strings are
 * escaped, so text that looks like a field is one.
 */
export function rewriteFields(text: string, fields: readonly string[], move: Move): string {
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

/** Of a path or a file URL. */
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

/** Rewrites paths in the pieces of a file: line by line, so that its size does not matter, or all at once for one value. */
export function* rewritePaths(
  pieces: Iterable<Buffer>,
  moved: PathRewrite,
  isLines: boolean,
  move: Move,
  path = '',
): Generator<Buffer> {
  const change = (bytes: Buffer): Buffer => {
    // Bytes that are not text are unchanged.
    const text = bytes.toString('utf8')
    const fields = rewriteFields(text, moved.fields ?? [], move)
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
