import { isProblem } from '../../events/item.ts'
import { bytesMayContain, fileMayContain } from '../../native/byte-search/matching-lines.ts'
import type { Needle } from '../../native/byte-search/needle.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Located } from '../read-session.ts'

/** False if the bytes of the session's files, or rows, show that none of the needles is in its text. */
export function mayMatch(
  { head, reader }: Located,
  needles: readonly Needle[] | undefined,
  reading: ReadContext,
): boolean {
  const { scanner, textFiles, textRows } = reader
  const isScanned = scanner !== undefined && (scanner.applies?.(head) ?? true)
  if (!needles) return true
  try {
    const files = isScanned ? [head.path] : textFiles?.(head, reading)
    if (files) return files.some((path) => fileMayContain(path, reading, needles))
    const rows = textRows?.(head)
    if (!rows) return true
    for (const bytes of rows) if (isProblem(bytes) || bytesMayContain(bytes, reading, needles)) return true
    return false
  } catch {
    // Reading it says what is wrong.
    return true
  }
}
