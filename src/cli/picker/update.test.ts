import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { layOut, type PickerState, selectedRow } from './state.ts'
import { type Action, startState, update } from './update.ts'

const rows = Array.from({ length: 60 }, (_, n) =>
  sessionRow({
    id: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    title: n % 2 ? `Mend the cart ${n}` : `Write the parser ${n}`,
    cwd: n % 3 ? '/home/dev/shop' : '/home/dev/other',
  }),
)
const size = { columns: 80, rows: 24 }
const start = (project: string | null = '/home/dev/shop'): PickerState => startState(size, rows, project)

function press(state: PickerState, ...names: string[]): PickerState {
  return names.reduce(
    (now, name) => update(now, { type: 'key', key: name.length === 1 ? { name: 'text', text: name } : { name } }),
    state,
  )
}

const titles = (state: PickerState) => state.matches.map(({ row }) => row.title)

test('starts with the current project; tab shows all', () => {
  expect([start().scope, start().matches.length]).toEqual(['project', 40])
  const all = press(start(), 'tab')
  expect([all.scope, all.matches.length]).toEqual(['all', 60])
  expect(press(all, 'tab')).toEqual(start())
  expect(press(start(null), 'tab')).toEqual({ ...start(null), notice: 'this project has no sessions' })
})

test('typing filters by name, and deleting shows them again', () => {
  const typed = press(start(null), ...'cart 5')
  expect(titles(typed)).toEqual([5, 51, 53, 55, 57, 59].map((n) => `Mend the cart ${n}`))
  expect(press(typed, 'ctrl-w').query).toBe('cart ')
  expect(press(typed, 'ctrl-u')).toEqual(start(null))
  expect(update(start(null), { type: 'key', key: { name: 'paste', text: 'cart\n 5' } })).toEqual(typed)
})

test('the selected session is always on the screen', () => {
  const page = layOut(size).list.rows
  const down = press(start(), ...Array(page).fill('down'))
  expect([down.selected, down.top]).toEqual([page, 1])
  expect([press(down, 'end').selected, press(down, 'end').top]).toEqual([39, 40 - page])
  expect([press(down, 'end', 'down').selected, press(down, 'home', 'up').selected]).toEqual([39, 0])
})

test.each([
  ['enter', 'show'],
  ['ctrl-r', 'resume'],
  ['ctrl-e', 'export'],
  ['ctrl-y', 'copy'],
])('%s leaves to %s the chosen session', (key, kind) => {
  const state = press(start(), 'down', key)
  expect(state.outcome).toEqual({ kind, row: selectedRow(state) })
})

test('Enter without a selected session shows a notice', () => {
  const state = press(start(), ...'zzzz', 'enter')
  expect([state.matches, state.notice, state.outcome]).toEqual([[], 'no session is selected', undefined])
})

test('? opens help if nothing is typed, and any key closes it', () => {
  expect(press(start(), '?').help).toBe(true)
  expect(press(start(), '?', 'x')).toEqual(start())
  expect(press(start(), 'a', '?').query).toBe('a?')
  expect(press(start(), '?', 'ctrl-c').outcome).toEqual({ kind: 'leave' })
})

const unlisted = { all: 0, project: 0 }

test('the same session stays selected when new ones arrive', () => {
  const chosen = press(start(null), 'down', 'down')
  const fresh = sessionRow({ id: 'ffffffff-0000-4000-8000-000000000000', title: 'New' })
  const later = update(chosen, { type: 'rows', rows: [fresh, ...rows], unlisted })
  expect([later.selected, selectedRow(later)]).toEqual([3, selectedRow(chosen)])
  // Who has not moved stays at the newest.
  expect(selectedRow(update(start(null), { type: 'rows', rows: [fresh, ...rows], unlisted }))).toEqual(fresh)
})

test('text matches follow name matches; a late result is dropped', () => {
  const typed = press(start(null), ...'cart 57')
  const hit = {
    session: rows[0]!,
    role: 'user' as const,
    event: null,
    timestamp: '',
    snippet: 'the cart',
    marks: [],
    more: 0,
    only_in_archive: false,
  }
  const texts = { query: 'cart 57', hits: [hit, { ...hit, session: rows[57]! }] }
  expect(update(typed, { type: 'texts', texts }).matches).toEqual([
    { row: rows[57], hit: { ...hit, session: rows[57] } },
    { row: rows[0], hit },
  ])
  expect(update(typed, { type: 'texts', texts: { ...texts, query: 'cart' } })).toEqual(typed)
})

test('after any keys the selection exists and is on the screen', () => {
  const names = ['up', 'down', 'page-up', 'page-down', 'home', 'end', 'tab', 'a', 'c', '7', 'backspace', 'ctrl-w', '?']
  const key = fc
    .constantFrom(...names)
    .map((name): Action => ({ type: 'key', key: name.length === 1 ? { name: 'text', text: name } : { name } }))
  const resize = fc
    .record({ columns: fc.integer({ min: 1, max: 150 }), rows: fc.integer({ min: 1, max: 50 }) })
    .map((to): Action => ({ type: 'size', size: to }))
  const fewer = fc.nat(60).map((count): Action => ({ type: 'rows', rows: rows.slice(count), unlisted }))
  fc.assert(
    fc.property(fc.array(fc.oneof(key, resize, fewer)), (actions) => {
      const state = actions.reduce(update, start())
      const page = layOut(state.size).list.rows
      expect(state.selected).toBeGreaterThanOrEqual(state.top)
      expect(state.selected).toBeLessThan(state.top + page)
      expect(state.selected === 0 || state.selected < state.matches.length).toBe(true)
    }),
  )
})
