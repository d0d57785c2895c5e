import fc from 'fast-check'
import { expect, test } from 'vitest'
import { familiesOf, fileHref, linksBetween, type Ordered } from './folder-order.ts'

const session = (id: string, hour: number | null, parent: string | null = null): Ordered => ({
  id,
  created_at: hour === null ? null : `2026-03-12T${String(hour).padStart(2, '0')}:00:00.000Z`,
  parent_session: parent,
})
const shape = (sessions: readonly Ordered[]): unknown[] =>
  familiesOf(sessions).map((one) => [one.session.id, one.subAgents.map(({ id }) => id)])

test('newest first, undated last, sub-agents of any depth below the session that a person started', () => {
  expect(
    shape([
      session('old', 1),
      session('undated', null),
      session('sub', 2, 'old'),
      session('new', 3),
      session('sub of sub', 4, 'sub'),
      session('orphan', 5, 'not exported'),
    ]),
  ).toEqual([
    ['orphan', []],
    ['new', []],
    ['old', ['sub of sub', 'sub']],
    ['undated', []],
  ])
})

test('a session that claims to be its own ancestor is still listed', () => {
  expect(shape([session('a', 1, 'b'), session('b', 2, 'a'), session('c', 3, 'c')])).toEqual([
    ['c', []],
    ['a', ['b']],
  ])
})

test('every session is listed once, whatever the parents are', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const parents = fc.array(fc.option(fc.constantFrom(...ids, 'x')), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(parents, (chosen) => {
      const listed = familiesOf(ids.map((id, place) => session(id, place, chosen[place]!)))
      const all = listed.flatMap((one) => [one.session, ...one.subAgents]).map(({ id }) => id)
      expect(all.toSorted()).toEqual(ids)
    }),
  )
})

test('links go to sessions of the same kind, and from a sub-agent to the session that started it', () => {
  const sessions = [session('a', 1), session('b', 2), session('b1', 3, 'b'), session('b2', 4, 'b'), session('c', 5)]
  const links = linksBetween(sessions, 'index.html', ({ id }) => `${id}.html`)
  expect(Object.fromEntries([...links].map(([{ id }, { index: _, ...others }]) => [id, others]))).toEqual({
    c: { newer: undefined, older: 'b.html', parent: undefined, subAgents: [] },
    b: { newer: 'c.html', older: 'a.html', parent: undefined, subAgents: ['b1.html', 'b2.html'] },
    a: { newer: 'b.html', older: undefined, parent: undefined, subAgents: [] },
    b2: { newer: undefined, older: 'b1.html', parent: 'b.html', subAgents: [] },
    b1: { newer: 'b2.html', older: undefined, parent: 'b.html', subAgents: [] },
  })
})

test('a chain of 20,000 sub-agents takes no quadratic time', () => {
  const chain = Array.from({ length: 20_000 }, (_, n) => session(`s${n}`, 1, n === 0 ? null : `s${n - 1}`))
  const [family] = familiesOf(chain)
  expect(family!.subAgents).toHaveLength(19_999)
})

test('a file name is one segment of a relative link', () => {
  expect(['a b#c?d%.html', 'javascript:x.html', `"'<.html`, 'ä/b.html'].map(fileHref)).toEqual([
    'a%20b%23c%3Fd%25.html',
    'javascript%3Ax.html',
    '%22%27%3C.html',
    '%C3%A4%2Fb.html',
  ])
})
