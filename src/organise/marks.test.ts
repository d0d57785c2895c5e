import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AllMarks, allMarks, keyOf, type Marks, noMarks } from './marks.ts'
import { type Operation, type OperationRecord, parseOperation } from './operation.ts'

const sessions = [
  { agent: 'one', id: 'a' },
  { agent: 'two', id: 'a' },
  { agent: 'one', id: 'b' },
]
const at = fc.integer({ min: 0, max: 5 }).map((ms) => new Date(1.7e12 + ms).toISOString())
const text = fc.constantFrom('x', 'y', 'é "', '')
const change = fc.oneof(
  fc.record({ op: fc.constantFrom('name' as const, 'note' as const), value: fc.option(text) }),
  fc.record({ op: fc.constantFrom('tag' as const, 'untag' as const), value: fc.constantFrom('t', 'u') }),
  fc.record({ op: fc.constantFrom('pin' as const, 'unpin' as const) }),
  fc.record({ op: fc.constant('origin' as const), value: fc.option(fc.constantFrom(...sessions.map(keyOf))) }),
)
const operation: fc.Arbitrary<Operation> = fc
  .tuple(fc.constantFrom(...sessions), at, change)
  .map(([session, at, one]) => ({ ...session, at, ...one }))

function read(operations: readonly OperationRecord[]): Marks[] {
  const marks = allMarks(operations)
  return sessions.map((session) => marks.get(session))
}

/** One after the other, as they happened. */
function plainFold(operations: readonly Operation[]): Marks[] {
  const folded = sessions.map(({ agent, id }) => {
    let [name, note, pinned, from]: [string | null, string | null, boolean, string | null] = [null, null, false, null]
    const tags = new Set<string>()
    for (const one of operations.filter((other) => other.agent === agent && other.id === id)) {
      if (one.op === 'name') name = one.value
      else if (one.op === 'note') note = one.value
      else if (one.op === 'origin') from = one.value
      else if (one.op === 'tag') tags.add(one.value)
      else if (one.op === 'untag') tags.delete(one.value)
      else pinned = one.op === 'pin'
    }
    const origin = sessions.find((session) => keyOf(session) === from) ?? null
    return { name, tags: [...tags].sort(), pinned, note, origin }
  })
  return folded.map((marks, index) => {
    const isCopy = ({ origin }: Pick<Marks, 'origin'>): boolean => origin === sessions[index]
    return {
      ...marks,
      handed_over_to: sessions
        .filter((_, other) => isCopy(folded[other]!))
        .map(({ id }) => id)
        .sort(),
    }
  })
}

test('at different times, the order and number of the lines do not matter: it is as if done one after the other', () => {
  const lists = fc.uniqueArray(fc.tuple(operation, fc.nat(1e9)), { selector: ([, ms]) => ms })
  const shuffled = lists.chain((list) => {
    const all = list.map(([one, ms]): Operation => ({ ...one, at: new Date(1.7e12 + ms).toISOString() }))
    const order = fc.shuffledSubarray([...all, ...all], { minLength: 0, maxLength: all.length * 2 })
    return fc.tuple(fc.constant(all), order)
  })
  fc.assert(
    fc.property(shuffled, ([all, some]) => {
      const inOrder = all.toSorted((a, b) => (a.at < b.at ? -1 : 1))
      expect(read([...some, ...all])).toEqual(plainFold(inOrder))
    }),
  )
})

test('of two at the same time, the same one wins in any order', () => {
  fc.assert(
    fc.property(fc.array(operation), fc.array(operation), (mine, theirs) => {
      expect(read([...theirs, ...mine])).toEqual(read([...mine, ...theirs]))
      expect(read([...mine, ...mine])).toEqual(read(mine))
    }),
  )
})

test('tags with their sessions', () => {
  const marks = new AllMarks()
  const time = '2026-11-16T00:00:00.000Z'
  for (const [index, session] of sessions.entries()) {
    marks.add({ ...session, at: time, op: 'tag', value: 'x' })
    if (index > 0) marks.add({ ...session, at: time, op: 'tag', value: 'b' })
  }
  marks.add({ ...sessions[2]!, at: '2026-11-17T00:00:00.000Z', op: 'untag', value: 'b' })
  marks.add({ ...sessions[0]!, at: time, op: 'pin' })
  expect(marks.tags()).toEqual([
    { tag: 'b', sessions: 1 },
    { tag: 'x', sessions: 3 },
  ])
  expect([marks.withTag(['b']), marks.pinned()]).toEqual([[sessions[1]], [sessions[0]]])
})

test('what a newer version of Ion wrote has no effect', () => {
  const line = '{"at":"2026-11-16T00:00:00.000Z","agent":"one","id":"a","op":"colour","value":{"red":1}}'
  const record = parseOperation(line)
  expect(record).toEqual(JSON.parse(line))
  expect(read([record!])).toEqual([noMarks, noMarks, noMarks])
})

test.each([
  'x',
  'null',
  '[]',
  '{}',
  '{"at":"2026-11-16T00:00:00.000Z","agent":"one","id":1,"op":"pin"}',
  '{"at":"2026-11-16","agent":"one","id":"a","op":"pin"}',
  '{"at":"2026-99-16T00:00:00.000Z","agent":"one","id":"a","op":"pin"}',
  '{"at":"+010000-01-01T00:00:00.000Z","agent":"one","id":"a","op":"pin"}',
  '{"at":"2026-11-16T00:00:00.000Z","agent":"one","id":"a","op":"name"}',
  '{"at":"2026-11-16T00:00:00.000Z","agent":"one","id":"a","op":"note","value":5}',
  '{"at":"2026-11-16T00:00:00.000Z","agent":"one","id":"a","op":"tag","value":null}',
])('not an operation: %s', (line) => {
  expect(parseOperation(line)).toBeUndefined()
})
