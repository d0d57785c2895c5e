import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { agents } from '../../agents/_registry.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { shortIdsAmong } from '../../catalog/short-id.ts'
import { noConfig } from '../../config/config.ts'
import type { IonError } from '../../platform/error.ts'
import { type OptionsOf, withDefaults } from '../command.ts'
import { search as searchDefinition, sessions, show as showDefinition } from '../definitions/sessions.ts'
import { run as search } from './search.ts'
import { run, sessionTable } from './sessions.ts'
import { run as show } from './show/run.ts'

process.env.TZ = 'UTC'

/** A home with two sessions in Ion's own archive: the one format whose fixture can be written by hand. */
function home() {
  const io = scratchIo()
  const write = (id: string, day: string, title: string, cwd: string, said: readonly object[]): void => {
    const base = { timestamp: `2026-11-${day}T10:00:00.000Z` }
    const start = {
      type: 'session_start',
      v: 1,
      session_id: id,
      agent: agents[0]!.id,
      native_id: id,
      cwd,
      project: cwd,
      title,
      source: { agent_version: null, format: 'jsonl' },
    }
    const lines = [start, ...said].map((event, seq) =>
      JSON.stringify({
        ...event,
        ...base,
        seq,
        id: (event as { id?: string }).id ?? `e${seq}`,
        parent_id: seq === 0 ? null : `e${seq - 1}`,
      }),
    )
    const folder = join(io.env.ION_HOME!, 'sessions', '0123456789abcdef')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`)
  }
  const text = (words: string) => [{ type: 'text', text: words }]
  write('aaaaaaaa-0000-4000-8000-000000000001', '10', 'Mend the cart', '/gone/shop', [
    { type: 'user', content: 'The total of the cart is wrong' },
    { type: 'assistant', content: text('The tax was added twice.') },
  ])
  write('bbbbbbbb-0000-4000-8000-000000000002', '15', 'Write \x1b[31mthe\x07 parser', '/gone/tool', [
    { type: 'user', content: 'A parser for the cart format' },
  ])
  return io
}

test('in a pipe: a table, newest first, with full ids and no control characters', async () => {
  const context = fakeContext(home())
  expect(await run([], withDefaults(sessions, {}), context)).toBe('ok')
  const id = agents[0]!.id
  expect([context.out.text, context.err.text]).toEqual([
    [
      `${'agent'.padEnd(id.length)}  id                                    age  msgs  in       title             path`,
      `${id}  bbbbbbbb-0000-4000-8000-000000000002  14h     1  archive  Write the parser  /gone/tool`,
      `${id}  aaaaaaaa-0000-4000-8000-000000000001   6d     2  archive  Mend the cart     /gone/shop`,
      '',
    ].join('\n'),
    'sessions in all projects, newest first\n',
  ])
})

test('in a pipe titles and paths are complete, unless COLUMNS limits the line', () => {
  const row = sessionRow({ title: `Mend ${'the cart '.repeat(30)}now`, cwd: `/gone/${'deep/'.repeat(40)}shop` })
  const lines = (env: Record<string, string>) =>
    sessionTable([row], (one) => one.id, true, fakeContext(scratchIo(undefined, env)))
  expect(lines({})[1]).toContain(row.title)
  expect(lines({})[1]).toContain(row.cwd)
  expect(lines({ COLUMNS: '100' })[1]!.length).toBeLessThanOrEqual(100)
})

test('filters, JSON lines, and a note if there are more', async () => {
  const ids = async (options: Partial<OptionsOf<typeof sessions>>) => {
    const context = fakeContext(home())
    await run([], withDefaults(sessions, { json: true, ...options }), context)
    const rows = context.out.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as SessionRow)
    return [rows.map((row) => row.id.slice(0, 4)).join(' '), context.err.text]
  }
  expect(await ids({})).toEqual(['bbbb aaaa', ''])
  expect(await ids({ limit: '1' })).toEqual(['bbbb', 'showing the newest 1; --limit 0 shows all\n'])
  expect(await ids({ since: '2d' })).toEqual(['bbbb', ''])
  expect(await ids({ project: '/gone/shop' })).toEqual(['aaaa', ''])
  expect(await ids({ agent: [agents[1]!.id] })).toEqual(['', ''])
})

test('each row has exactly the documented fields', async () => {
  const context = fakeContext(home())
  await run([], withDefaults(sessions, { json: true, limit: '1' }), context)
  expect(Object.keys(JSON.parse(context.out.text))).toEqual(Object.keys(sessionRow()))
})

test.each([
  [{ limit: 'x' }, 'usage'],
  [{ since: 'x' }, 'usage'],
  [{ agent: ['nobody'] }, 'not-found'],
  [{ all: true, project: '.' }, 'usage'],
])('%j is refused', async (options, kind) => {
  await expect(run([], withDefaults(sessions, options), fakeContext(scratchIo()))).rejects.toMatchObject({ kind })
})

test('a project that is neither an alias nor a folder is refused, with the one that was meant', async () => {
  const refused = (project: string): Promise<unknown> => {
    const projects = new Map([['billing', '/gone/elsewhere']])
    const context = { ...fakeContext(home()), config: { ...noConfig, projects } }
    return run([], withDefaults(sessions, { project, json: true }), context).then(
      (kind) => kind,
      (error: IonError) => [error.kind, error.message, error.hint],
    )
  }
  expect(await refused('shpo')).toEqual([
    'not-found',
    'no project "shpo": no alias has this name, and ~/shpo does not exist',
    'did you mean shop? ion sessions --project /gone/shop',
  ])
  expect(await refused('biling')).toMatchObject({ 2: 'did you mean billing? ion sessions --project billing' })
  expect(await refused('/gone/nothing-like-it')).toMatchObject({
    2: 'ion sessions --all lists the sessions of all projects',
  })
  expect([await refused('billing'), await refused('.'), await refused('/gone/shop')]).toEqual(['ok', 'ok', 'ok'])
})

test('no sessions is no error', async () => {
  const context = fakeContext(scratchIo())
  expect([await run([], withDefaults(sessions, {}), context), context.out.text, context.err.text]).toEqual([
    'ok',
    '',
    'no sessions in all projects\n',
  ])
})

test('in a terminal ids are short; a narrow one shows fewer columns', () => {
  const rows = [
    sessionRow(),
    sessionRow({ id: '11111111-9000-4000-8000-000000000001', title: 'Another one, with a long name' }),
  ]
  const lines = (columns: number) =>
    sessionTable(rows, shortIdsAmong(rows), true, fakeContext(scratchIo(), { isTTY: true, columns }))
  expect(lines(38)).toEqual([
    'id          age  title',
    '11111111-0   2h  Fix the login redire…',
    '11111111-9   2h  Another one, with a …',
  ])
})

test('show: the session on stdout, what was left out on stderr', async () => {
  const context = fakeContext(home())
  await show(['aaaa'], withDefaults(showDefinition, {}), context)
  expect([context.out.text, context.err.text]).toEqual([
    [
      'Mend the cart',
      `${agents[0]!.title} · /gone/shop · 2026-11-10 10:00 – 10:00 · 2 messages, 0 tool calls · only in Ion's archive ·`,
      'aaaaaaaa-0000-4000-8000-000000000001',
      '',
      'You · 10:00 · turn 1',
      '  The total of the cart is wrong',
      '',
      `${agents[0]!.title} · 10:00`,
      '  The tax was added twice.',
      '',
    ].join('\n'),
    '',
  ])
})

test('show --json: the canonical events', async () => {
  const context = fakeContext(home())
  await show(['bbbb'], withDefaults(showDefinition, { json: true }), context)
  const types = context.out.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).type)
  expect(types).toEqual(['session_start', 'user'])
  await expect(show(['cccc'], withDefaults(showDefinition, {}), context)).rejects.toMatchObject({ kind: 'not-found' })
})

test('search: newest first, with the matching text and how much was searched', async () => {
  const context = fakeContext(home(), { colour: true })
  expect(await search([['cart', '-total']], withDefaults(searchDefinition, {}), context)).toBe('ok')
  expect(
    context.out.text.replace(/\x1b\[([0-9]+)m/g, (_, code) => (code === '7' ? '[' : code === '27' ? ']' : '')),
  ).toBe(
    [
      'Write the parser',
      `  bbbbbbbb-0000-4000-8000-000000000002#e1 · ${agents[0]!.id} · 14h · only in Ion's archive · /gone/tool`,
      '  user: A parser for the [cart] format',
      '',
      'Mend the cart',
      `  aaaaaaaa-0000-4000-8000-000000000001 · ${agents[0]!.id} · 6d · only in Ion's archive · /gone/shop`,
      '  title: Mend the [cart]',
      '',
    ].join('\n'),
  )
  expect(context.err.text).toBe('searched 2 sessions\n')
})

test('search: no match is reported, and an empty query is refused', async () => {
  const context = fakeContext(home())
  expect(await search([['zebra']], withDefaults(searchDefinition, {}), context)).toBe('failed')
  expect([context.out.text, context.err.text]).toEqual(['', 'nothing found; searched 2 sessions\n'])
  await expect(search([['-zebra']], withDefaults(searchDefinition, {}), context)).rejects.toMatchObject({
    kind: 'usage',
  })
})
