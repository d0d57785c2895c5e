import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { startState } from './list.ts'
import { toListed } from './match.ts'
import { layOut, type PickerState, type Request, selectedRow } from './state.ts'
import { type Action, update } from './update.ts'

const rows = Array.from({ length: 60 }, (_, n) =>
  sessionRow({
    id: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    agent: n % 4 ? 'claude' : 'codex',
    title: n % 2 ? `Fix the cart ${n}` : `Write the parser ${n}`,
    cwd: n % 3 ? '/home/dev/shop' : '/home/dev/other',
    messages: n,
    bytes: 1000 - n,
  }),
)
const listed = rows.map(toListed)
const size = { columns: 80, rows: 24 }
const start = (project: string | null = '/home/dev/shop'): PickerState => inProject(startState(size, rows), project)

function inProject(state: PickerState, project: string | null): PickerState {
  return project === null ? state : update(state, { type: 'project', project, isScope: true })
}

function press(state: PickerState, ...names: string[]): PickerState {
  return names.reduce(
    (now, name) => update(now, { type: 'key', key: name.length === 1 ? { name: 'text', text: name } : { name } }),
    state,
  )
}

const titles = (state: PickerState) => state.matches.map(({ row }) => row.title)
const numbers = (state: PickerState) => state.matches.map(({ row }) => row.messages)

test('starts with the current project; ctrl-a shows all', () => {
  expect([start().scope, start().matches.length]).toEqual(['project', 40])
  const all = press(start(), 'ctrl-a')
  expect([all.scope, all.matches.length]).toEqual(['all', 60])
  expect(press(all, 'ctrl-a')).toEqual(start())
  expect(press(start(null), 'ctrl-a')).toEqual({
    ...start(null),
    notice: 'this project has no sessions; ctrl-f chooses another',
  })
})

test('the current project is listed as soon as one of its sessions is known, unless something was typed', () => {
  const first = rows.filter(({ cwd }) => cwd === '/home/dev/other')
  const before = inProject(startState(size, first), '/home/dev/shop')
  expect(before).toEqual(startState(size, first))
  const loaded = update(before, { type: 'rows', rows: listed })
  expect(inProject(loaded, '/home/dev/shop')).toEqual(start())
  const typed = inProject(press(loaded, 'c'), '/home/dev/shop')
  expect([typed.project, typed.scope]).toEqual(['/home/dev/shop', 'all'])
  expect(inProject(start(), '/home/dev/other')).toEqual(start())
})

test('typing filters by name, and deleting shows them again', () => {
  const typed = press(start(null), ...'CÁRT 5')
  expect(titles(typed)).toEqual([5, 15, 25, 35, 45, 51, 53, 55, 57, 59].map((n) => `Fix the cart ${n}`))
  expect(press(typed, 'ctrl-w').query).toBe('CÁRT ')
  expect(press(typed, 'ctrl-u')).toEqual(start(null))
  expect(update(start(null), { type: 'key', key: { name: 'paste', text: 'CÁRT\n 5' } })).toEqual(typed)
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
])('%s leaves to %s the chosen session', (key, kind) => {
  const state = press(start(), 'down', key)
  expect(state.outcome).toEqual({ kind, row: selectedRow(state) })
})

test('Enter without a selected session shows a notice', () => {
  const state = press(start(), ...'zzzz', 'enter')
  expect([state.matches, state.notice, state.outcome]).toEqual([[], 'no session is selected', undefined])
})

test('? opens help if nothing is typed, F1 always; it scrolls, and any other key closes it', () => {
  expect(press(start(), '?').dialog).toEqual({ kind: 'help', top: 0 })
  expect(press(start(), '?', 'x')).toEqual(start())
  expect(press(start(), 'a', '?').query).toBe('a?')
  expect(press(start(), 'a', 'f1', 'down', 'down', 'up').dialog).toEqual({ kind: 'help', top: 1 })
  expect(press(start(), '?', 'ctrl-c').outcome).toEqual({ kind: 'leave' })
})

test('Escape closes a dialog, then clears the filter, then the marks, then quits', () => {
  const state = press(start(), 'tab', 'c', 'ctrl-y')
  const steps = [1, 2, 3, 4].map((count) => press(state, ...Array(count).fill('escape')))
  expect(steps.map(({ dialog, query, marked, outcome }) => [dialog, query, marked.size, outcome])).toEqual([
    [undefined, 'c', 1, undefined],
    [undefined, '', 1, undefined],
    [undefined, '', 0, undefined],
    [undefined, '', 0, { kind: 'leave' }],
  ])
})

test('tab marks and moves down, and marks again to unmark', () => {
  const state = press(start(null), 'tab', 'down', 'tab', 'shift-tab')
  expect([[...state.marked.values()], state.selected]).toEqual([[rows[0], rows[2], rows[3]], 2])
  expect([...press(state, 'tab').marked.values()]).toEqual([rows[0], rows[3]])
})

test('ctrl-o goes through the orders; pinned sessions are first in each', () => {
  const pinned = rows.map((row) => (row.messages === 30 ? { ...row, pinned: true } : row))
  const state = startState(size, pinned)
  const orders = [0, 1, 2, 3, 4, 5].map((count) => press(state, ...Array(count).fill('ctrl-o')))
  expect(orders.map((one) => [one.order, numbers(one).slice(0, 3)])).toEqual([
    ['newest', [30, 0, 1]],
    ['oldest', [30, 59, 58]],
    ['messages', [30, 59, 58]],
    ['size', [30, 0, 1]],
    ['title', [30, 1, 11]],
    ['newest', [30, 0, 1]],
  ])
})

test('menus choose an agent and a project', () => {
  const agents = press(start(null), 'ctrl-g')
  expect(agents.dialog).toEqual({
    kind: 'choice',
    of: 'agent',
    choices: [
      { value: null, count: 60 },
      { value: 'codex', count: 15 },
      { value: 'claude', count: 45 },
    ],
    text: '',
    selected: 0,
  })
  const codex = press(agents, 'down', 'enter')
  expect([codex.agent, codex.matches.length]).toEqual(['codex', 15])
  const other = press(codex, 'ctrl-f', ...'OTH', 'enter')
  expect([other.project, other.scope, other.matches.length]).toEqual(['/home/dev/other', 'project', 5])
  expect(press(other, 'ctrl-f', 'up', 'up', 'enter').scope).toBe('all')
  expect(press(other, 'ctrl-g', 'escape')).toEqual(other)
})

const [first, second] = [rows[0]!, rows[1]!]
const requests: [keys: string[], request: Request][] = [
  [['ctrl-y', 'i'], { kind: 'copy', what: 'id', rows: [first] }],
  [['ctrl-y', 'r'], { kind: 'copy', what: 'resume', rows: [first] }],
  [['ctrl-y', 'a'], { kind: 'copy', what: 'answer', rows: [first] }],
  [['tab', 'tab', 'ctrl-y', 'i'], { kind: 'copy', what: 'id', rows: [first, second] }],
  [['ctrl-t', 'p'], { kind: 'organise', change: { pinned: true }, rows: [first] }],
  [
    ['ctrl-t', 't', ...'a b,-c', 'enter'],
    { kind: 'organise', change: { addTags: ['a', 'b'], removeTags: ['c'] }, rows: [first] },
  ],
  [['ctrl-t', 'r', 'ctrl-u', ...'My own', 'enter'], { kind: 'organise', change: { name: 'My own' }, rows: [first] }],
  [['ctrl-t', 'r', 'ctrl-u', 'enter'], { kind: 'organise', change: { name: null }, rows: [first] }],
  [['ctrl-t', 'n', ...'ask', 'enter'], { kind: 'organise', change: { note: 'ask' }, rows: [first] }],
  [['ctrl-e', 'enter'], { kind: 'export', path: '2026-11-15-codex-write-the-parser-0-00000000.md', rows: [first] }],
  [['tab', 'tab', 'ctrl-s', 'enter'], { kind: 'share', path: 'sessions/', rows: [first, second] }],
  [['ctrl-x'], { kind: 'plan-removal', rows: [first] }],
  [['ctrl-k', 'a'], { kind: 'plan-handover', row: first }],
  [['down', 'ctrl-k', 'f'], { kind: 'fork', row: second }],
]

test.each(requests)('%j asks for %j', (keys, request) => {
  const state = press(start(null), ...keys)
  expect([state.request, state.outcome, state.dialog]).toEqual([request, undefined, undefined])
})

test('what is about one session refuses several', () => {
  const state = press(start(null), 'tab', 'tab')
  expect([
    press(state, 'ctrl-t', 'r').notice,
    press(state, 'ctrl-t', 'n').notice,
    press(state, 'ctrl-y', 'a').notice,
    press(state, 'ctrl-k', 'a').notice,
    press(state, 'ctrl-k', 'f').notice,
  ]).toEqual([
    'rename: only one session at a time; esc removes the marks',
    'note: only one session at a time; esc removes the marks',
    'last answer: only of one session at a time; esc removes the marks',
    'in an agent: only one session at a time; esc removes the marks',
    'fork: only one session at a time; esc removes the marks',
  ])
})

test('the agent that continues a session is chosen among those that can', () => {
  const targets = { row: second, agents: ['claude', 'codex', 'pi'] }
  const asked = update(start(null), { type: 'targets', targets })
  expect(press(asked, 'down', 'enter').outcome).toEqual({ kind: 'handover', row: second, agent: 'codex' })
  expect(press(asked, 'down', 'down', 'down', 'up', 'up', 'enter').outcome).toMatchObject({ agent: 'claude' })
  expect(press(asked, ...'CoD', 'enter').outcome).toMatchObject({ agent: 'codex' })
  expect(press(asked, 'x', 'enter')).toMatchObject({ outcome: { agent: 'codex' } })
  expect(press(asked, ...'zz', 'enter')).toEqual(start(null))
  expect(press(asked, 'down', 'escape')).toEqual(start(null))
})

test('a removal is asked for, and only y confirms it', () => {
  const removal = { removed: [{ row: first, bytes: 1000, subAgents: 2 }], kept: [], canUndo: true }
  const asked = update(start(null), { type: 'removal', removal })
  expect(press(asked, 'y').request).toEqual({ kind: 'remove', rows: [first] })
  expect(press(asked, 'u').request).toEqual({ kind: 'undo-removal' })
  expect(update(asked, { type: 'key', key: { name: 'paste', text: 'y' } }).request).toBe(undefined)
  expect(press(asked, 'enter')).toEqual({ ...start(null), notice: 'nothing was removed' })
  const none = update(start(null), { type: 'removal', removal: { ...removal, removed: [], canUndo: false } })
  expect([press(none, 'y').request, press(none, 'u').request]).toEqual([undefined, undefined])
})

test('the same session stays selected when new ones arrive', () => {
  const chosen = press(start(null), 'down', 'down')
  const fresh = sessionRow({ id: 'ffffffff-0000-4000-8000-000000000000', title: 'New' })
  const more = [fresh, ...rows].map(toListed)
  const later = update(chosen, { type: 'rows', rows: more })
  expect([later.selected, selectedRow(later)]).toEqual([3, selectedRow(chosen)])
  // Who has not moved stays at the newest.
  expect(selectedRow(update(start(null), { type: 'rows', rows: more }))).toEqual(fresh)
})

test('a session that was changed is found by its new name', () => {
  const changed = { ...rows[3]!, title: 'Refunds', tags: ['money'] }
  const state = update(press(start(null), 'end', 'tab'), { type: 'changed', rows: [changed] })
  expect(press(state, ...'#mon').matches.map(({ row }) => row)).toEqual([changed])
  expect(press(state, ...'refunds').matches.map(({ row }) => row)).toEqual([changed])
})

const hit = {
  session: rows[0]!,
  role: 'user' as const,
  event: 'e1',
  timestamp: '',
  snippet: 'the cart',
  marks: [],
  more: 0,
  only_in_archive: false,
}

test('text matches follow name matches; a late result is dropped', () => {
  const typed = press(start(null), ...'cart 57')
  const found = { done: 60, total: 60, isComplete: true, unsearched: 0 }
  const texts = { query: 'cart 57', hits: [hit, { ...hit, session: rows[57]! }], ...found }
  expect(update(typed, { type: 'texts', texts }).matches).toEqual([
    { row: rows[57], hit: { ...hit, session: rows[57] } },
    { row: rows[0], hit },
  ])
  expect(update(typed, { type: 'texts', texts: { ...texts, query: 'cart' } })).toEqual(typed)
  // A title is found by the list itself, and has no place to open it at.
  const title = { ...texts, hits: [{ ...hit, event: null, session: rows[57]! }] }
  expect(update(typed, { type: 'texts', texts: title }).matches).toEqual([{ row: rows[57] }])
})

test('after any keys the selection exists and is on the screen', () => {
  const names = [
    ...['up', 'down', 'page-up', 'page-down', 'home', 'end', 'tab', 'a', 'c', '7', 'backspace', 'ctrl-w', '?', 'enter'],
    ...['ctrl-a', 'ctrl-f', 'ctrl-g', 'ctrl-o', 'ctrl-t', 'ctrl-y', 'ctrl-e', 'shift-down', 'escape'],
  ]
  const key = fc
    .constantFrom(...names)
    .map((name): Action => ({ type: 'key', key: name.length === 1 ? { name: 'text', text: name } : { name } }))
  const resize = fc
    .record({ columns: fc.integer({ min: 1, max: 150 }), rows: fc.integer({ min: 1, max: 50 }) })
    .map((to): Action => ({ type: 'size', size: to }))
  const fewer = fc.nat(60).map((count): Action => ({ type: 'rows', rows: listed.slice(count) }))
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
