import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { type LineScanner, startState } from '../agents/line-scanner.ts'
import type { Summary } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { SMALL_FILE } from '../native/window.ts'
import { type Counted, countSteps } from './line-scan.ts'

/** Counts lines as messages, bytes as input, and lines that are not JSON as problems. */
const scanner: LineScanner = {
  start: () => startState(null),
  count({ summary }, line) {
    summary.messages++
    summary.tokens = { ...summary.tokens, input: summary.tokens.input + line.length }
    if (line.buffer[line.end - 1] !== 0x7d) summary.problems++
  },
  summary: (state) => state.summary,
  passages: () => [],
}

type Count = { readonly summary: Summary; readonly scan: Counted | undefined }

/** A scratch file, and how it is counted. */
function scratchSession(): { path: string; count: (before?: Counted) => Count } {
  const io = scratchIo()
  const path = join(io.home, 'session.jsonl')
  const count = (before?: Counted): Count => {
    const earlier = before && (JSON.parse(JSON.stringify(before)) as Counted)
    const steps = countSteps(path, scanner, earlier, readContext(io))
    for (;;) {
      const step = steps.next()
      if (!step.done) continue
      const { summary, scan } = step.value
      return { summary, scan }
    }
  }
  return { path, count }
}

/** Text of a few sorts, also torn, and longer than a file that is counted from its start. */
const part = fc.oneof(
  fc.constantFrom('{}\n', '{"a":1}\r\n', '\n', '{"torn":', '\r\n', 'é\n', '{"x":1}'),
  fc.integer({ min: 1, max: 2 }).map((times) => `{"huge":"${'x'.repeat(SMALL_FILE * times)}"}\n`),
)

test('a file that grows has the same counts as the same file read at once', () => {
  const { path, count } = scratchSession()
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 5 }), (growth) => {
      writeFileSync(path, '')
      let counted = count()
      for (const parts of growth) {
        appendFileSync(path, parts.join(''))
        counted = count(counted.scan)
        expect(counted).toEqual(count())
      }
      const text = growth.flat().join('')
      const lines = text.split('\n')
      if (lines.at(-1) === '') lines.pop()
      expect(counted.summary.messages).toBe(lines.length)
      expect(counted.summary.tokens.input).toBe(Buffer.byteLength(lines.join('')))
    }),
    { numRuns: 60 },
  )
})

test('only of a large file is it stored where counting stopped', () => {
  const { path, count } = scratchSession()
  writeFileSync(path, `${'x'.repeat(SMALL_FILE - 1)}\n`)
  expect(count().scan).toBeUndefined()
  appendFileSync(path, '\n')
  expect(count().scan?.mark.offset).toBe(SMALL_FILE + 1)
})

test('a file that was rewritten is counted from its start', () => {
  const { path, count } = scratchSession()
  writeFileSync(path, '{}\n'.repeat(SMALL_FILE))
  const { scan } = count()
  writeFileSync(path, `{"a":1}\n${'{}\n'.repeat(SMALL_FILE)}`)
  expect(count(scan)).toEqual(count())
})
