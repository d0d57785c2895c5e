import type { Source } from '../agents/agent.ts'

/** What distinguishes states of a file; see FileStamp. */
export interface FileNumbers {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** Precedes the stamp of a source that must be read again even if its files are unchanged: permissions are not in the stamp. */
const RETRY = '!'

/** SQL condition on `stamp`, in the form of the index `source_retry`. */
export const isMarkedForRetry: string = `stamp >= '${RETRY}' AND stamp < '0'`

/** The text that is stored of a source: the numbers of the file, in the usual case of one; otherwise those of each with its path. */
export function stampText({ path, files }: Source): string {
  const [only] = files
  if (files.length === 1 && only?.path === path) return stampNumbers(only)
  return JSON.stringify(files.map((file) => [file.path, stampNumbers(file)]))
}

export function retryStamp(source: Source): string {
  return RETRY + stampText(source)
}

export function stampNumbers({ dev, ino, size, mtimeMs }: FileNumbers): string {
  return `${dev} ${ino} ${size} ${mtimeMs}`
}

export function isRetry(stamp: string): boolean {
  return stamp.startsWith(RETRY)
}

/** The files that a stored stamp describes, with their numbers. */
export function stampedFiles(path: string, stored: string): (readonly [file: string, numbers: string])[] {
  const stamp = isRetry(stored) ? stored.slice(RETRY.length) : stored
  return stamp.startsWith('[') ? (JSON.parse(stamp) as [string, string][]) : [[path, stamp]]
}

export function lastWritten({ files }: Source): number {
  return Math.max(...files.map((file) => file.mtimeMs))
}
