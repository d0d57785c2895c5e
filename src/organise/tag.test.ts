import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { changeMarks } from './change-marks.ts'
import { knownTags, parseTag } from './tag.ts'

test.each([
  ['payments', 'payments'],
  [' #Payments ', 'payments'],
  ['release/2.1_b-c', 'release/2.1_b-c'],
  ['.NET', '.net'],
  ['ÄRGER', 'ärger'],
  ['e\u0301', 'é'],
  ['日本語', '日本語'],
  ['x'.repeat(64), 'x'.repeat(64)],
])('%j is the tag %j', (text, tag) => {
  expect(parseTag(text)).toBe(tag)
})

test.each(['', '#', 'two words', 'a,b', '-d', '##x', 'x'.repeat(65), 'a\u001b[31m', 'a:b'])(
  '%j is not a tag',
  (text) => {
    expect(() => parseTag(text)).toThrowError(
      expect.objectContaining({ kind: 'usage', hint: expect.stringContaining('up to 64 letters') }),
    )
  },
)

test('a tag that no session has', () => {
  const io = scratchIo()
  const refused = (...tags: string[]): { message: string; hint: string } => {
    try {
      knownTags(tags, io)
    } catch (error) {
      return error as { message: string; hint: string }
    }
    throw new Error('not refused')
  }
  expect(refused('x')).toMatchObject({
    message: 'no session has the tag x',
    hint: 'to tag a session: ion tag <id> <tag>',
  })
  changeMarks(io, { agent: 'one', id: 'a' }, { addTags: ['payments', 'v2'] })
  expect(knownTags(['#V2'], io)).toEqual(['v2'])
  expect(knownTags([], io)).toEqual([])
  expect(refused('v2', 'paymnts')).toMatchObject({
    message: 'no session has the tag paymnts',
    hint: 'did you mean payments?',
  })
  expect(refused('other')).toMatchObject({ hint: 'tags: payments, v2' })
  changeMarks(io, { agent: 'one', id: 'a' }, { removeTags: ['v2'] })
  expect(refused('v2')).toMatchObject({ hint: 'tags: payments' })
})
