import { isAscii } from 'node:buffer'
import type { JsonObject } from './json-lines.ts'
import { parsedObject } from './narrow.ts'

/**
 * The JSON objects of the complete lines in a window of a file. Anything that does not parse is skipped, since the window
 * may cut a line. `head`: the window starts at a line's start; `tail`: it ends at the end of the file; `whole`: both.
 */
export function parseLines(bytes: Buffer, window: 'head' | 'tail' | 'whole'): JsonObject[] {
  const lines = windowText(bytes).split('\n')
  if (window === 'tail') lines.shift()
  return lines.map(parsedObject).filter((object) => object !== undefined)
}

/** The same, lazily from the start of a window's text. */
export function* linesForward(text: string): Generator<JsonObject> {
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    const object = parsedObject(text.slice(from, end))
    if (object) yield object
    from = end + 1
  }
}

/** The same, lazily from its end. `wanted` filters by text first, since most lines of a tail do not matter. */
export function* linesBackward(text: string, wanted: (line: string) => boolean): Generator<JsonObject> {
  // Splitting all of it takes less time than looking for one line from the end.
  const lines = text.split('\n')
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]!
    const object = line !== '' && wanted(line) ? parsedObject(line) : undefined
    if (object) yield object
  }
}

/** A window as text: all of it at once, since each call into Node costs more than decoding a line. */
export function windowText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}
