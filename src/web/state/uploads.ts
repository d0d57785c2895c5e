import { Refused, upload } from '../api/server.ts'
import { isReadOnly } from './agent.ts'
import { notice, tell } from './overlay.ts'

/** The server's limit; checked here to save the upload. */
const MOST_BYTES = 10 * 1024 * 1024

/** The paths of the uploaded files, in order; failures are reported. */
export async function uploadAll(files: readonly File[]): Promise<string[]> {
  const paths: string[] = []
  const wrong: string[] = []
  for (const file of files) {
    tell(`Uploading ${file.name}…`)
    try {
      if (file.size > MOST_BYTES) throw new Error('larger than 10 MB')
      paths.push(await upload(file))
    } catch (error) {
      if (error instanceof Refused && error.needsToken) isReadOnly.value = true
      wrong.push(`${file.name}: ${(error as Error).message}`)
    }
  }
  if (wrong.length > 0) tell(`Not uploaded: ${wrong.join('; ')}`, true)
  // The error of another upload stays.
  else if (!notice.value?.isBad) notice.value = undefined
  return paths
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The text with the paths instead of the selection, separated from the words around them. */
export function insertedAt(text: string, { start, end }: Span, paths: readonly string[]): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const words = paths.map((path) => (/\s/.test(path) ? `"${path}"` : path)).join(' ')
  return `${before}${/\S$/.test(before) ? ' ' : ''}${words}${/^\s/.test(after) ? '' : ' '}${after}`
}
