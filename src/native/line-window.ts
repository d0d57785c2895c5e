import type { JsonObject } from './json-lines.ts'
import { parsedObject } from './narrow.ts'

/**
 * The JSON objects of the complete lines in a window of a file. Anything that does not parse is skipped, since the window
 * may cut a line. `head`: the window starts at a line's start; `tail`: it ends at the end of the file; `whole`: both.
 */
export function parseLines(bytes: Buffer, window: 'head' | 'tail' | 'whole'): JsonObject[] {
  const lines = bytes.toString('utf8').split('\n')
  if (window === 'tail') lines.shift()
  return lines.map(parsedObject).filter((object) => object !== undefined)
}

/** The same, lazily from the window's start. */
export function* linesForward(bytes: Buffer): Generator<JsonObject> {
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const end = newline < 0 ? bytes.length : newline
    const object = parsedObject(bytes.toString('utf8', from, end))
    if (object) yield object
    from = end + 1
  }
}

/** The same, lazily from the window's end. `wanted` filters by text first, since most lines of a tail do not matter. */
export function* linesBackward(bytes: Buffer, wanted: (line: string) => boolean): Generator<JsonObject> {
  for (let end = bytes.length; end > 0; ) {
    const newline = bytes.lastIndexOf(10, end - 1)
    const line = bytes.toString('utf8', newline + 1, end)
    const object = line !== '' && wanted(line) ? parsedObject(line) : undefined
    if (object) yield object
    end = newline
  }
}
