import fc from 'fast-check'
import width from 'fast-string-width'
import { expect, test } from 'vitest'
import { fakeTerminal } from '../../../test/support/fake-terminal.ts'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { palette } from '../colour.ts'
import { render, type View } from './render.ts'
import { startState, update } from './update.ts'

process.env.TZ = 'UTC'

const io = {
  env: {},
  home: '/home/dev',
  cwd: '/home/dev',
  platform: 'linux' as const,
  now: () => new Date('2026-11-16T00:00:00Z'),
}
const view: View = { colours: palette(fakeTerminal()), io, shortId: ({ id }) => id.slice(0, 8), enter: 'show' }
const rows = [
  sessionRow(),
  sessionRow({ id: '22222222-0000-4000-8000-000000000002', agent: 'codex', title: '日本語のセッション', live: true }),
  sessionRow({ id: '33333333-0000-4000-8000-000000000003', agent: 'goose', title: null, updated_at: null }),
]
const preview = {
  id: rows[0]!.id,
  firstPrompt: 'Why does it loop?',
  lastPrompt: 'Thanks, and the test?',
  lastAnswer: 'The test is green.\n\nAll done.',
}

function screen(columns: number, height: number) {
  return update(startState({ columns, rows: height }, rows, '/home/dev/shop'), { type: 'preview', preview })
}

test('narrow: the preview is below', () => {
  expect(render(screen(50, 16), view)).toEqual([
    'Sessions · ~/shop                           3 of 3',
    '> type to filter, tab for all projects',
    '──────────────────────────────────────────────────',
    '>   2h  claude   Fix the login redirect           ',
    '    2h* codex    日本語のセッション               ',
    '     ?  goose    (no title)                       ',
    '',
    '',
    '',
    '',
    '──────────────────────────────────────────────────',
    '11111111 · 14 messages · ~/shop',
    '> Why does it loop?',
    '> Thanks, and the test?',
    '< The test is green. All done.',
    'enter show · ^r resume · ^e export · ? help',
  ])
})

test('where Enter resumes, the footer and the help say so', () => {
  const resuming: View = { ...view, enter: 'resume' }
  const state = screen(80, 16)
  expect(render(state, resuming).at(-1)).toBe('enter resume · ^e export · ^y copy id · tab all · esc quit · ? help')
  expect(render({ ...state, help: true }, resuming)).toContain('  enter     resume the session in its agent')
})

test('wide: the preview is beside the list', () => {
  expect(render(screen(100, 20), view).map((line) => line.trimEnd())).toMatchInlineSnapshot(`
    [
      "Sessions · ~/shop                                                                             3 of 3",
      "> type to filter, tab for all projects",
      "────────────────────────────────────────────────────────┬───────────────────────────────────────────",
      ">   2h  claude   Fix the login redirect                 │ Fix the login redirect",
      "    2h* codex    日本語のセッション                     │ claude · model-1",
      "     ?  goose    (no title)                             │ 14 messages, 22 tool calls, 120 kB",
      "                                                        │ ~/shop",
      "                                                        │ 2026-11-15 22:00 (2h ago)",
      "                                                        │ 11111111-0000-4000-8000-000000000001",
      "                                                        │",
      "                                                        │ First prompt",
      "                                                        │ Why does it loop?",
      "                                                        │",
      "                                                        │ Last prompt",
      "                                                        │ Thanks, and the test?",
      "                                                        │",
      "                                                        │ Last answer",
      "                                                        │ The test is green.",
      "                                                        │ All done.",
      "enter show · ^r resume · ^e export · ^y copy id · tab all · esc quit · ? help",
    ]
  `)
})

test('the heading counts what is not listed, and the list marks what only Ion has', () => {
  const rows = [sessionRow(), sessionRow({ id: '2', title: 'Pruned', only_in_archive: true, forked_from: '1' })]
  const state = update(startState({ columns: 60, rows: 8 }, [], null), {
    type: 'rows',
    rows,
    unlisted: { all: 4, project: 0 },
  })
  const lines = render(state, view)
  expect(lines[0]).toMatch(/^Sessions · all projects +2 of 2 \(\+ 4 hidden\)$/)
  expect(lines[4]).toContain('[archive] [fork] Pruned')
})

test('tiny: only the list', () => {
  expect(render(screen(30, 6), view)).toEqual([
    'Sessions · ~/shop       3 of 3',
    '> type to filter, tab for al…',
    '──────────────────────────────',
    '>   2h  Fix the login redirect',
    '    2h* 日本語のセッション    ',
    'enter show · ? help',
  ])
})

test('help, no match, and no sessions', () => {
  const help = update(screen(60, 15), { type: 'key', key: { name: 'text', text: '?' } })
  const none = update(screen(60, 15), { type: 'key', key: { name: 'paste', text: 'zzzz' } })
  const empty = startState({ columns: 60, rows: 15 }, [], null)
  expect([help, none, empty].map((state) => render(state, view).map((line) => line.trimEnd()))).toMatchInlineSnapshot(`
    [
      [
        "Sessions · ~/shop                                     3 of 3",
        "> type to filter, tab for all projects",
        "────────────────────────────────────────────────────────────",
        "",
        "  type      filter by title, folder, agent, id; then by text",
        "  up, down  select (also ctrl-p, ctrl-n, page up, page down)",
        "  enter     read the session (never starts an agent)",
        "  ctrl-r    resume the session in its agent",
        "  ctrl-e    quit and print the command that exports it",
        "  ctrl-y    quit, copy the id and print it",
        "  tab       this project / all projects",
        "  ctrl-u    clear the filter (ctrl-w: the last word)",
        "  esc       quit (also ctrl-c)",
        "",
        "enter show · ^r resume · ^e export · ^y copy id · ? help",
      ],
      [
        "Sessions · ~/shop                                     0 of 3",
        "> zzzz",
        "────────────────────────────────────────────────────────────",
        "",
        "  No matching sessions in this project.",
        "  tab searches all projects.",
        "",
        "",
        "",
        "────────────────────────────────────────────────────────────",
        "",
        "",
        "",
        "",
        "enter show · ^r resume · ^e export · ^y copy id · ? help",
      ],
      [
        "Sessions · all projects                               0 of 0",
        "> type to filter",
        "────────────────────────────────────────────────────────────",
        "",
        "  No sessions on this machine yet.",
        "  ion demo shows sample sessions.",
        "",
        "",
        "",
        "────────────────────────────────────────────────────────────",
        "",
        "",
        "",
        "",
        "enter show · ^r resume · ^e export · ^y copy id · ? help",
      ],
    ]
  `)
})

test('the screen always has exactly its number of rows and columns', () => {
  const sizes = fc.record({ columns: fc.integer({ min: 12, max: 160 }), rows: fc.integer({ min: 5, max: 50 }) })
  fc.assert(
    fc.property(sizes, fc.string({ maxLength: 30 }), fc.string({ unit: 'grapheme' }), (size, query, text) => {
      const hit = {
        session: rows[2]!,
        role: 'user' as const,
        event: null,
        timestamp: '',
        snippet: text,
        marks: [[0, 3] as const],
        more: 0,
        only_in_archive: false,
      }
      let state = startState(size, [sessionRow({ title: text, cwd: text })], null)
      state = update(state, { type: 'key', key: { name: 'paste', text: query } })
      state = update(state, { type: 'texts', texts: { query: state.query, hits: [hit] } })
      state = update(state, { type: 'preview', preview: { id: rows[2]!.id, firstPrompt: text, lastAnswer: text } })
      const lines = render(state, view)
      expect(lines.length).toBe(size.rows)
      for (const line of lines) {
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
        expect(width(line)).toBeLessThanOrEqual(size.columns)
      }
    }),
  )
})
