import { expect, test } from 'vitest'
import type { IonEvent } from '../events/schema.ts'
import { BranchFinder } from './branch.ts'

type Row = readonly [id: string, parent: string | null, type: IonEvent['type'], more?: object]

/** The ids on the main branch. */
function mainOf(rows: readonly Row[]): string[] {
  const survey = new BranchFinder()
  for (const [id, parent_id, type, more] of rows) survey.add({ id, parent_id, type, ...more } as IonEvent)
  const branches = survey.finish()
  const main = rows.filter((_, place) => branches.isMain(place)).map(([id]) => id)
  expect(branches.others).toBe(rows.length - main.length)
  expect(branches.isMain(rows.length)).toBe(true)
  return main
}

test('a straight log is all main', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['a', 's', 'user'],
      ['b', 'a', 'assistant'],
    ]),
  ).toEqual(['s', 'a', 'b'])
  expect(mainOf([])).toEqual([])
})

test('a rewound prompt leaves its branch behind', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['u1', null, 'user'],
      ['a1', 'u1', 'assistant'],
      ['u2', 'a1', 'user'],
      ['a2', 'u2', 'assistant'],
      ['t2', 'a2', 'tool_use'],
      ['r2', 't2', 'tool_result'],
      ['u3', 'a1', 'user'],
      ['a3', 'u3', 'assistant'],
    ]),
  ).toEqual(['s', 'u1', 'a1', 'u3', 'a3'])
})

test('a rewind to the very beginning, and one into the middle of an answer', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['u1', null, 'user'],
      ['u2', null, 'user'],
    ]),
  ).toEqual(['s', 'u2'])
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['u1', 's', 'user'],
      ['a1', 'u1', 'assistant'],
      ['t', 'a1', 'tool_use'],
      ['u2', 'a1', 'user'],
    ]),
  ).toEqual(['s', 'u1', 'a1', 'u2'])
})

test('parallel calls and their results belong together, whichever of them leads on', () => {
  for (const next of ['r1', 'r2']) {
    expect(
      mainOf([
        ['u', null, 'user'],
        ['t1', 'u', 'tool_use'],
        ['t2', 't1', 'tool_use'],
        ['r2', 't2', 'tool_result'],
        ['r1', 't1', 'tool_result'],
        ['a', next, 'assistant'],
      ]),
    ).toEqual(['u', 't1', 't2', 'r2', 'r1', 'a'])
  }
})

test('notices and sub-agents follow what they hang on; a late notice decides nothing', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['u1', null, 'user'],
      ['x1', 'u1', 'system'],
      ['u2', null, 'user'],
      ['x2', 'u2', 'system'],
      ['sub', 'u2', 'assistant', { sub_agent: 'finder' }],
      ['late', 'u1', 'system'],
    ]),
  ).toEqual(['s', 'u2', 'x2', 'sub'])
})

test('a parent that is not there does not hide what came before', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['u', 's', 'user'],
      ['a', 'lost', 'assistant'],
      ['b', 'a', 'user'],
    ]),
  ).toEqual(['s', 'u', 'a', 'b'])
})

test('an event that comes before its parent keeps it on the branch', () => {
  expect(
    mainOf([
      ['s', null, 'session_start'],
      ['t1', 'u1', 'tool_use'],
      ['u1', null, 'user'],
      ['r1', 't1', 'tool_result'],
      ['a1', 'r1', 'assistant'],
    ]),
  ).toEqual(['s', 't1', 'u1', 'r1', 'a1'])
})

test('parents in a circle end', () => {
  expect(
    mainOf([
      ['a', 'a', 'user'],
      ['b', 'a', 'assistant'],
      ['a', 'b', 'user'],
    ]),
  ).toContain('b')
})

test('many events', () => {
  const survey = new BranchFinder()
  for (let n = 0; n < 200_000; n++) {
    survey.add({
      id: `e${n}`,
      parent_id: n === 0 ? null : `e${n % 1000 === 999 ? n - 500 : n - 1}`,
      type: 'user',
    } as IonEvent)
  }
  expect(survey.finish().others).toBe(199 * 499 + 499)
})
