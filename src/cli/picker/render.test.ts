import fc from 'fast-check'
import width from 'fast-string-width'
import { expect, test } from 'vitest'
import { fakeTerminal } from '../../../test/support/fake-terminal.ts'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { palette } from '../colour.ts'
import { startState } from './list.ts'
import { toListed } from './match.ts'
import { render, type View } from './render.ts'
import { previewLimit } from './render-preview.ts'
import type { PickerState, Size } from './state.ts'
import { update } from './update.ts'

process.env.TZ = 'UTC'

const io = {
  env: {},
  home: '/home/dev',
  cwd: '/home/dev',
  platform: 'linux' as const,
  now: () => new Date('2026-11-16T00:00:00Z'),
}
const view: View = {
  colours: palette(fakeTerminal()),
  io,
  shortId: ({ id }) => id.slice(0, 8),
  enter: 'show',
  isNarrowed: false,
}
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

function inShop(size: Size): PickerState {
  return update(startState(size, rows), { type: 'project', project: '/home/dev/shop', isScope: true })
}

function screen(columns: number, height: number) {
  return update(inShop({ columns, rows: height }), { type: 'preview', preview })
}

function press(state: PickerState, ...names: string[]): PickerState {
  return names.reduce(
    (now, name) => update(now, { type: 'key', key: name.length === 1 ? { name: 'text', text: name } : { name } }),
    state,
  )
}

const shown = (state: PickerState, seen = view): string[] => render(state, seen).map((line) => line.trimEnd())

const hit = {
  session: rows[2]!,
  role: 'user' as const,
  event: 'e1',
  timestamp: '',
  snippet: '…and then the redirect to the login page was gone',
  marks: [[14, 22] as const],
  more: 0,
  only_in_archive: false,
}
const searched = { done: 3, total: 3, isComplete: true, unsearched: 0 }

test('folders of the same name are shown with what tells them apart', () => {
  const folders = ['/home/dev/code/shop', '/home/dev/shop', '/srv/shop', '/srv/app', null]
  const sessions = folders.map((cwd, n) => sessionRow({ id: `${n}`.repeat(8), title: `in ${cwd}`, cwd }))
  const lines = shown(startState({ columns: 80, rows: 24 }, sessions)).slice(3, 8)
  expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    ...['code/shop', '~/shop', 'srv/shop', 'app', 'in null'],
  ])
})

test.each([
  [120, 24, ['#money #later', 'ask Ann']],
  [60, 14, ['11111111 · #money #later · 14 messages · ~/shop', 'ask Ann']],
])('the preview has the tags and the note of the session, in %i x %i', (columns, height, expected) => {
  const row = sessionRow({ tags: ['money', 'later'], note: 'ask Ann' })
  const lines = shown(startState({ columns, rows: height }, [row])).map((line) => line.split('│').at(-1)!.trim())
  expect(lines).toEqual(expect.arrayContaining(expected))
})

test('narrow: the preview is below', () => {
  expect(render(screen(50, 16), view)).toMatchInlineSnapshot(`
    [
      "Sessions · ~/shop                           3 of 3",
      "> type to filter, ctrl-a for all projects",
      "──────────────────────────────────────────────────",
      ">   2h  claude   Fix the login redirect           ",
      "    2h* codex    日本語のセッション               ",
      "     ?  goose    (no title)                       ",
      "",
      "",
      "",
      "",
      "──────────────────────────────────────────────────",
      "11111111 · 14 messages · ~/shop",
      "> Why does it loop?",
      "> Thanks, and the test?",
      "< The test is green. All done.",
      "enter show · ^r resume · ^a all · ? help",
    ]
  `)
})

test('where Enter resumes, the footer and the help say so', () => {
  const resuming: View = { ...view, enter: 'resume' }
  const state = screen(80, 16)
  expect(render(state, resuming).at(-1)).toMatchInlineSnapshot(
    `"enter resume · ^a all · esc quit · tab mark · ^y copy · ^t tag · ? help"`,
  )
  expect(shown(press(state, '?'), resuming)).toContain('  enter              resume the session in its agent')
})

test('wide: the preview is beside the list', () => {
  expect(shown(screen(100, 20))).toMatchInlineSnapshot(`
    [
      "Sessions · ~/shop                                                                             3 of 3",
      "> type to filter, ctrl-a for all projects",
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
      "enter show · ^r resume · ^a all · esc quit · tab mark · ^y copy · ^t tag · ^e export · ? help",
    ]
  `)
})

test('the heading counts what is not listed, and the list marks what only Ion has and what is pinned', () => {
  const rows = [
    sessionRow({ pinned: true, tags: ['money'], note: 'ask Ann' }),
    sessionRow({ id: '2', title: 'Pruned', only_in_archive: true, forked_from: '1' }),
  ]
  let state = update(startState({ columns: 60, rows: 14 }, []), { type: 'rows', rows: rows.map(toListed) })
  state = press(update(state, { type: 'unlisted', unlisted: 4 }), 'ctrl-o', 'tab')
  expect(shown(state)).toMatchInlineSnapshot(`
    [
      "Sessions · all projects · by… 1 marked · 2 of 2 (+ 4 hidden)",
      "> type to filter",
      "────────────────────────────────────────────────────────────",
      " +  2h  claude   [pin] Fix the login redirect … shop",
      ">   2h  claude   [archive] [fork] Pruned        shop",
      "",
      "",
      "",
      "────────────────────────────────────────────────────────────",
      "2 · 14 messages · ~/shop",
      "",
      "",
      "",
      "enter show · ^r resume · esc unmark · tab mark · ? help",
    ]
  `)
})

test('what matched is marked, also where it is not in the title; text that matched is beside the title', () => {
  const coloured: View = { ...view, colours: palette(fakeTerminal({ colour: true })) }
  const typed = press(startState({ columns: 80, rows: 10 }, rows), ...'dir')
  const state = update(typed, { type: 'texts', texts: { query: 'dir', hits: [hit], ...searched } })
  expect(shown(state)).toMatchInlineSnapshot(`
    [
      "Sessions · all projects                                                   2 of 3",
      "> dir",
      "── text of 3 sessions searched ─────────────────────────────────────────────────",
      ">   2h  claude   Fix the login redirect                         shop",
      "     ?" goose    (no title) · …then the redirect to the login … shop",
      "",
      "",
      "",
      "",
      "enter show · ^r resume · esc clear · tab mark · ^y copy · ^t tag · F1 help",
    ]
  `)
  const readable = (line: string): string => line.replace(/\x1b\[(\d+)m/g, '<$1>')
  expect(render(state, coloured).slice(3, 5).map(readable)).toMatchInlineSnapshot(`
    [
      "<7>> <27><7>  2h<27><7>  <27><7>claude   <27><7>Fix the login re<27><1>dir<22><7>ect                        <27><7> shop            <27>",
      "  <2>   ?<22><36>" <39><36>goose    <39>(no title) · <2>…<22><2>then the <22><1><33>redirect<39><22><2> to the login …<22><2> shop            <22>",
    ]
  `)
  // In the folder and in the id.
  expect(shown(press(inShop({ columns: 80, rows: 6 }), ...'ome/')).slice(3, 5)).toMatchInlineSnapshot(`
    [
      ">   2h  claude   Fix the login redirect · /home/dev/shop",
      "    2h* codex    日本語のセッション · /home/dev/shop",
    ]
  `)
  expect(shown(press(startState({ columns: 80, rows: 6 }, rows), ...'2222')).slice(3, 5)).toMatchInlineSnapshot(`
    [
      ">   2h* codex    日本語のセッション · 22222222-0000-4000-8000-… shop",
      "",
    ]
  `)
})

test('what is loading, what is being searched, and what was not', () => {
  const info = (state: PickerState): string => render(state, view)[2]!.replace(/─+$/, '')
  const typed = press(screen(60, 16), ...'dir')
  const texts = (more: object) =>
    update(typed, { type: 'texts', texts: { query: 'dir', hits: [hit], ...searched, ...more } })
  expect([
    info(update(screen(60, 16), { type: 'status', status: 'loading sessions … 1,200' })),
    info(press(screen(60, 16), 'd')),
    info(typed),
    info(texts({ isComplete: false, done: 120, total: 375 })),
    info(texts({ done: 120, total: 375 })),
    info(texts({ unsearched: 2 })),
    info(texts({})),
    info(press(screen(60, 16), ...'agnt:x')),
  ]).toMatchInlineSnapshot(`
    [
      "── loading sessions … 1,200 ",
      "── text is searched from 2 characters on ",
      "── searching text … ",
      "── searching text … 120 of 375 sessions ",
      "── the newest 1 hits, in 120 of 375 sessions: ion search f… ",
      "── text of 3 sessions searched; 2 not readable: ion search… ",
      "── text of 3 sessions searched ",
      "── text is not searched: unknown filter "agnt:" ",
    ]
  `)
})

test('tiny: only the list', () => {
  expect(render(screen(30, 6), view)).toMatchInlineSnapshot(`
    [
      "Sessions · ~/shop       3 of 3",
      "> type to filter, ctrl-a for…",
      "──────────────────────────────",
      ">   2h  Fix the login redirect",
      "    2h* 日本語のセッション    ",
      "enter show · ? help",
    ]
  `)
})

test('help, no match, and no sessions', () => {
  const none = update(press(screen(60, 15), ...'zzzz'), {
    type: 'texts',
    texts: { query: 'zzzz', hits: [], ...searched },
  })
  const empty = startState({ columns: 60, rows: 15 }, [])
  const loading = update(empty, { type: 'status', status: 'reading sessions' })
  expect([press(screen(60, 15), '?'), none, empty, loading].map((state) => shown(state))).toMatchInlineSnapshot(`
    [
      [
        "Sessions · ~/shop                                     3 of 3",
        "> type to filter, ctrl-a for all projects",
        "────────────────────────────────────────────────────────────",
        "  any letter         filter by title, name, tag, folder,",
        "                     agent, id and text",
        "  enter              read the session (never starts an",
        "                     agent)",
        "  ctrl-r             resume the session in its agent",
        "  F1                 all keys; also ? while the filter is",
        "                     empty",
        "  esc                clear the filter, then the marks, then",
        "                     the choice of an agent, then quit",
        "  ctrl-c, ctrl-d     quit",
        "  up, down: scroll; any other key closes",
        "esc close",
      ],
      [
        "Sessions · ~/shop                                     0 of 3",
        "> zzzz",
        "── text of 3 sessions searched ─────────────────────────────",
        "",
        "  No matching sessions in this project.",
        "  ctrl-a searches all projects.",
        "",
        "",
        "",
        "────────────────────────────────────────────────────────────",
        "",
        "",
        "",
        "",
        "enter show · ^r resume · ^a all · esc clear · F1 help",
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
        "enter show · ^r resume · esc quit · tab mark · ? help",
      ],
      [
        "Sessions · all projects                               0 of 0",
        "> type to filter",
        "── reading sessions ────────────────────────────────────────",
        "",
        "  Loading sessions …",
        "",
        "",
        "",
        "",
        "────────────────────────────────────────────────────────────",
        "",
        "",
        "",
        "",
        "enter show · ^r resume · esc quit · tab mark · ? help",
      ],
    ]
  `)
})

test('dialogs', () => {
  const state = screen(60, 12)
  const removal = {
    removed: [{ row: rows[0]!, bytes: 120_000, subAgents: 2 }],
    kept: [{ row: rows[1]!, reason: 'it was used within the last hour' }],
    canUndo: true,
  }
  const dialogs = [
    press(state, 'ctrl-y'),
    press(state, 'ctrl-t', 't'),
    press(state, 'ctrl-e'),
    press(state, 'ctrl-g', 'down'),
    update(state, { type: 'removal', removal }),
    press(state, 'ctrl-k'),
    press(update(state, { type: 'targets', targets: { row: rows[0]!, agents: ['claude', 'codex'] } }), 'down'),
  ]
  expect(dialogs.map((one) => shown(one))).toMatchInlineSnapshot(`
    [
      [
        "Sessions · ~/shop                                     3 of 3",
        "> type to filter, ctrl-a for all projects",
        "────────────────────────────────────────────────────────────",
        ">   2h  claude   Fix the login redirect",
        "    2h* codex    日本語のセッション",
        "     ?  goose    (no title)",
        "",
        "",
        "",
        "",
        "",
        "i id · r resume command · a last answer · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "tags> words to add, -word to remove",
        "────────────────────────────────────────────────────────────",
        ">   2h  claude   Fix the login redirect",
        "    2h* codex    日本語のセッション",
        "     ?  goose    (no title)",
        "",
        "",
        "",
        "",
        "",
        "enter save · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "export to> -11-15-claude-fix-the-login-redirect-11111111.md",
        "────────────────────────────────────────────────────────────",
        ">   2h  claude   Fix the login redirect",
        "    2h* codex    日本語のセッション",
        "     ?  goose    (no title)",
        "",
        "",
        "",
        "",
        "",
        "enter write · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "agent> type to filter",
        "────────────────────────────────────────────────────────────",
        "        3  all agents",
        ">       1  claude",
        "        1  codex",
        "        1  goose",
        "",
        "",
        "",
        "",
        "enter choose · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "> type to filter, ctrl-a for all projects",
        "────────────────────────────────────────────────────────────",
        "  Remove 1 session (120 kB) from the agents' stores?",
        "  What is removed stays readable in Ion's archive, and",
        "  ctrl-x u restores it.",
        "  - Fix the login redirect (claude 11111111, 2h, 120 kB, wi…",
        "  - kept, it was used within the last hour: 日本語のセッシ…",
        "",
        "",
        "",
        "y remove · u undo the last removal · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "> type to filter, ctrl-a for all projects",
        "────────────────────────────────────────────────────────────",
        ">   2h  claude   Fix the login redirect",
        "    2h* codex    日本語のセッション",
        "     ?  goose    (no title)",
        "",
        "",
        "",
        "",
        "",
        "a in an agent · f fork · esc cancel",
      ],
      [
        "Sessions · ~/shop                                     3 of 3",
        "continue in> type to filter",
        "────────────────────────────────────────────────────────────",
        "  claude (a clean copy)",
        "> codex",
        "",
        "",
        "",
        "",
        "",
        "",
        "enter hand over and open · esc cancel",
      ],
    ]
  `)
})

test('the preview scrolls, and not further than its end', () => {
  const state = screen(100, 16)
  expect([
    previewLimit(state, view),
    shown({ ...state, previewTop: 4 }).map((line) => line.slice(58)),
  ]).toMatchInlineSnapshot(`
    [
      4,
      [
        "                                    3 of 3",
        "",
        "──────────────────────────────────────────",
        "2026-11-15 22:00 (2h ago)",
        "0000-4000-8000-000000000001",
        "",
        "First prompt",
        "Why does it loop?",
        "",
        "Last prompt",
        "Thanks, and the test?",
        "",
        "Last answer",
        "The test is green.",
        "All done.",
        " copy · ^t tag · ^e export · ? help",
      ],
    ]
  `)
})

test('the screen always has exactly its number of rows and columns', () => {
  const sizes = fc.record({ columns: fc.integer({ min: 12, max: 160 }), rows: fc.integer({ min: 5, max: 50 }) })
  const dialog = fc.constantFrom([], ['f1'], ['ctrl-g'], ['ctrl-f'], ['ctrl-t', 't'], ['ctrl-e'], ['tab', 'ctrl-y'])
  fc.assert(
    fc.property(
      sizes,
      fc.string({ maxLength: 30 }),
      fc.string({ unit: 'grapheme' }),
      dialog,
      (size, query, text, keys) => {
        let state = startState(size, [sessionRow({ title: text, cwd: text })])
        state = update(state, { type: 'key', key: { name: 'paste', text: query } })
        const found = { ...hit, snippet: text, marks: [[0, 3] as const] }
        state = update(state, { type: 'texts', texts: { query: state.query, hits: [found], ...searched } })
        state = update(state, { type: 'preview', preview: { id: rows[2]!.id, firstPrompt: text, lastAnswer: text } })
        state = press(state, ...keys)
        const lines = render(state, view)
        expect(lines.length).toBe(size.rows)
        for (const line of lines) {
          expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
          expect(width(line)).toBeLessThanOrEqual(size.columns)
        }
      },
    ),
  )
})
