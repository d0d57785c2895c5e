import type { JsonObject } from './json-lines.ts'

/**
 * The JSON objects of the whole lines in a window of a file; whatever does not parse is passed over, since the window
 * may cut a line. `head`: the window begins at a line's start; `tail`: it ends at the end of the file; `whole`: both.
 */
export function parseLines(bytes: Buffer, window: 'head' | 'tail' | 'whole'): JsonObject[] {
  const lines = bytes.toString('utf8').split('\n')
  if (window === 'tail') lines.shift()
  const objects: JsonObject[] = []
  for (const line of lines) {
    if (line.length < 2) continue
    try {
      const value: unknown = JSON.parse(line)
      if (value && typeof value === 'object' && !Array.isArray(value)) objects.push(value as JsonObject)
    } catch {
      // Cut by the window, torn, or bad: reading the session will tell.
    }
  }
  return objects
}
