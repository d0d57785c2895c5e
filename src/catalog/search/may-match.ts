import { mayContain } from '../../native/byte-search/matching-lines.ts'
import type { Needle } from '../../native/byte-search/needle.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { type Located, storeAgent } from '../read-session.ts'

/** False if the bytes of the session's files show that none of the needles is in its text. */
export function mayMatch(located: Located, needles: readonly Needle[] | undefined, reading: ReadContext): boolean {
  const { head } = located
  const { scanner, textFiles } = storeAgent(located)
  const isScanned = scanner !== undefined && (scanner.applies?.(head) ?? true)
  const files = isScanned ? [head.path] : textFiles?.(head, reading)
  if (!needles || !files) return true
  try {
    return files.some((path) => mayContain(path, reading, needles))
  } catch {
    // Reading it says what is wrong.
    return true
  }
}
