import { plain } from '../../../platform/plain-text.ts'
import type { Context } from '../../command.ts'
import type { Format } from './session-pieces.ts'
import { gathered } from './write-file.ts'

/** What a terminal would obey although JSON lets it stand: the C1 set and marks that turn the direction of text. */
const OBEYED = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** To stdout, at the reader's pace. In a terminal nothing of a transcript may act. */
export async function printPieces(pieces: Iterable<string>, format: Format, { out }: Context): Promise<void> {
  const safe = format === 'json' || format === 'jsonl' ? escaped : plain
  for (const piece of gathered(pieces)) {
    out.write(out.isTTY ? safe(piece) : piece)
    await out.drained?.()
    // Lets a reader that has gone away (`| head`) be noticed.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function escaped(json: string): string {
  return json.replace(OBEYED, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
