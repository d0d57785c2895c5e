import { isUtf8 } from 'node:buffer'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PathRewrite } from '../agents/backup.ts'

/** Maps an old path to the new one. */
export type Move = (path: string) => string

/** Moves a folder and the paths below it to the new one; others are unchanged. */
export function moveFolder(from: string, to: string): Move {
  return (path) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)
}

/**
 * JSON with the paths in the given fields rewritten and every other byte unchanged, also bytes that are not UTF-8. Quotes
 * inside strings are escaped in JSON, so whatever looks like a field outside of a string is one.
 */
export function rewriteFields(bytes: Buffer, fields: readonly string[], move: Move): Buffer {
  if (fields.length === 0) return bytes
  // One character per byte: nothing is lost by decoding and encoding it.
  const text = bytes.toString('latin1')
  const name = fields.map((field) => field.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const string = '"(?:[^"\\\\]|\\\\.)*"'
  const field = new RegExp(`(?<!\\\\)("(?:${name})"\\s*:\\s*)(${string}|\\[(?:\\s*${string}\\s*,?)*\\s*\\])`, 'g')
  const rewritten = text.replace(field, (all, before: string, value: string) => {
    const moved = value.replace(new RegExp(string, 'g'), (one) => {
      const path = parsed(Buffer.from(one, 'latin1'))
      const newPath = path === undefined ? undefined : movedPath(path, move)
      return newPath === path ? one : Buffer.from(JSON.stringify(newPath)).toString('latin1')
    })
    return moved === value ? all : before + moved
  })
  return rewritten === text ? bytes : Buffer.from(rewritten, 'latin1')
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

/** Undefined for what is not a JSON string in UTF-8. */
function parsed(string: Buffer): string | undefined {
  if (!isUtf8(string)) return undefined
  try {
    return JSON.parse(string.toString('utf8')) as string
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
    const rewritten = rewriteFields(bytes, moved.fields ?? [], move)
    if (isLines || !moved.text) return rewritten
    const text = rewritten.toString('utf8')
    const newText = moved.text(path, text, move)
    return newText === text ? rewritten : Buffer.from(newText)
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
