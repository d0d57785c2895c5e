import type { Source } from '../agents/agent.ts'
import type { FileStamp } from '../native/walk.ts'

/** Before the stamp of a source that must be looked at again, whatever its files say: a permission has no stamp. */
export const AGAIN = '!'

export function lastWritten(source: Source): number {
  return Math.max(...source.files.map((file) => file.mtimeMs))
}

/** One file, the usual case: its numbers. Several: each with its path. */
export function stampText({ path, files }: Source): string {
  const [only] = files
  if (files.length === 1 && only?.path === path) return numbers(only).join(' ')
  return JSON.stringify(files.map((file) => [file.path, ...numbers(file)]))
}

function numbers({ dev, ino, size, mtimeMs }: FileStamp): number[] {
  return [dev, ino, size, mtimeMs]
}

/** The files that a noted stamp is of. */
export function stampedFiles(path: string, noted: string): string[] {
  const stamp = noted.replace(AGAIN, '')
  return stamp.startsWith('[') ? (JSON.parse(stamp) as [string][]).map(([file]) => file) : [path]
}
