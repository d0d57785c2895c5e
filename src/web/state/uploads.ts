import { upload } from '../api/server.ts'
import { checkToken } from './agent.ts'
import { notice, notify, notifyError } from './page.ts'

/** The server's limit; checked here to save the upload. */
const MAX_BYTES = 10 * 1024 * 1024

/** The paths of the uploaded files, in order; failures are reported. */
export async function uploadAll(files: readonly File[]): Promise<string[]> {
  const paths: string[] = []
  const failures: string[] = []
  for (const file of files) {
    notify(`Uploading ${file.name}…`)
    try {
      if (file.size > MAX_BYTES) throw new Error('larger than 10 MB')
      paths.push(await upload(file))
    } catch (error) {
      checkToken(error)
      failures.push(`${file.name}: ${(error as Error).message}`)
    }
  }
  if (failures.length > 0) notifyError(`Not uploaded: ${failures.join('; ')}`)
  // The error of another upload stays.
  else if (!notice.value?.isError) notice.value = undefined
  return paths
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The text with the paths instead of the selection, separated from the text around them. */
export function insertedAt(text: string, { start, end }: Span, paths: readonly string[]): string {
  const before = text.slice(0, start)
  const after = text.slice(end)
  const inserted = paths.map((path) => (/\s/.test(path) ? `"${path}"` : path)).join(' ')
  return `${before}${/\S$/.test(before) ? ' ' : ''}${inserted}${/^\s/.test(after) ? '' : ' '}${after}`
}
