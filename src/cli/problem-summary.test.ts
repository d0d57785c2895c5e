import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { ProblemSummary } from './problem-summary.ts'

test('describes the first problems without control characters, and counts the rest', () => {
  const io = scratchIo()
  const notes = new ProblemSummary()
  expect(notes.lines(io)).toEqual([])
  notes.add({ code: 'not_json', problem: 'not JSON: \x1b[2Jx\n', path: `${io.home}/a.jsonl`, line: 3 })
  expect(notes.lines(io)).toEqual(['could not be read: not JSON: x (~/a.jsonl, line 3)'])
  for (let n = 0; n < 4; n++) notes.add({ code: 'invalid_record', problem: `bad ${n}`, path: '/b' })
  expect(notes.lines(io)).toEqual([
    'could not be read: not JSON: x (~/a.jsonl, line 3)',
    'could not be read: bad 0 (/b)',
    'could not be read: bad 1 (/b)',
    '2 more records could not be read',
  ])
  expect(notes.count).toBe(5)
})
