import { expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { progressLine } from './progress.ts'

function started(isTTY: boolean) {
  let time = 0
  const context = fakeContext({ ...scratchIo(), now: () => new Date(time) }, {}, { isTTY })
  const line = progressLine(context)
  const tell = (at: number, done: number): void => {
    time = at
    line.onProgress({ phase: 'indexing text', done, total: 4000 })
  }
  return { context, line, tell }
}

test('shown after a second, redrawn at most every 100 ms, removed at the end', () => {
  const { context, line, tell } = started(true)
  tell(500, 1)
  tell(1000, 1200)
  tell(1050, 1300)
  tell(1200, 2000)
  line.clear()
  expect(context.err.text).toBe(
    '\rindexing text: 1,200 of 4,000 (30 %)\x1b[K\rindexing text: 2,000 of 4,000 (50 %)\x1b[K\r\x1b[K',
  )
})

test('not shown in a pipe, or if it was quick', () => {
  const piped = started(false)
  piped.tell(5000, 1)
  piped.line.clear()
  const quick = started(true)
  quick.tell(10, 1)
  quick.line.clear()
  expect([piped.context.err.text, quick.context.err.text]).toEqual(['', ''])
})
