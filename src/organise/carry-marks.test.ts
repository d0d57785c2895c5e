import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { type CarriedMark, carriedMarks, isCarriedMark, mergeMarks } from './carry-marks.ts'
import { changeMarks } from './change-marks.ts'
import type { Marks } from './marks.ts'
import { marksPath, readMarks, readMarksFile } from './read-marks.ts'

const session = { agent: 'one', id: '3f2a' }

const mark: fc.Arbitrary<CarriedMark> = fc
  .tuple(
    fc.nat(3).map((ms) => new Date(1.8e12 + ms).toISOString()),
    fc.oneof(
      fc.record({ op: fc.constantFrom('name', 'note'), value: fc.option(fc.constantFrom('x', 'y')) }),
      fc.record({ op: fc.constantFrom('tag', 'untag'), value: fc.constantFrom('t', 'u') }),
      fc.record({ op: fc.constantFrom('pin', 'unpin', 'newer') }),
    ),
  )
  .map(([at, change]) => ({ at, ...change }))

test('merging what two machines have gives the same on both, in any order, and again', () => {
  const io = scratchIo()
  const merged = (...lists: readonly (readonly CarriedMark[])[]): Marks => {
    rmSync(marksPath(io), { force: true })
    for (const list of lists) mergeMarks(io, session, list)
    return readMarks(io).get(session)
  }
  fc.assert(
    fc.property(fc.array(mark), fc.array(mark), (mine, theirs) => {
      const once = merged(mine, theirs)
      expect(merged(theirs, mine)).toEqual(once)
      const added = mergeMarks(io, session, mine)
      expect([added, readMarks(io).get(session)]).toEqual([0, once])
    }),
    { numRuns: 50 },
  )
})

test('from one machine to another, where the session has another id', () => {
  const [here, there]: Io[] = [scratchIo(), scratchIo()]
  changeMarks(here!, session, { name: 'Refunds', addTags: ['a', 'b'] })
  changeMarks(here!, { ...session, id: 'other' }, { pinned: true })
  changeMarks(here!, session, { removeTags: ['b'] })
  const carried = carriedMarks(here!)(session)
  expect(JSON.parse(JSON.stringify(carried))).toEqual(carried)
  expect(carried.every(isCarriedMark)).toBe(true)
  expect(mergeMarks(there!, { agent: 'one', id: 'new' }, carried)).toBe(4)
  expect(readMarks(there!).get({ agent: 'one', id: 'new' })).toEqual(readMarks(here!).get(session))
  expect(readMarksFile(there!).operations.every(({ id }) => id === 'new')).toBe(true)
})

test.each([null, 5, {}, { op: 'pin' }, { at: 'today', op: 'pin' }, { at: '2026-11-16T00:00:00.000Z', op: 'tag' }])(
  'not a mark: %j',
  (value) => {
    expect(isCarriedMark(value)).toBe(false)
  },
)
