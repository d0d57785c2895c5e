import { cpSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { filesBelow } from '../support/scratch.ts'
import { writeClaude } from './claude-session.ts'
import { listed, machine, runIon } from './run-ion.ts'

const id = 'e5ca9e00-0000-4000-8000-000000000001'

/** Sequences that a terminal obeys: titles, clearing, the clipboard, C1 controls, overwriting, text direction. */
const evil =
  'a\x1b]0;owned\x07b\x1b[2Jc\x1b]52;c;b3duZWQ=\x07d\x9b31me\x08\x08f\rg\u202eh\u2028\u2067\u061c\x1bPq\x1b\\i'
const html = '<script>alert(1)</script><img src=x onerror=alert(2)>[click](javascript:alert(3))</details></main>'

/** Beside line breaks. */
const UNPRINTABLE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

function hostile(): ReturnType<typeof machine> {
  const where = machine()
  const text = `${evil}\0 ${html} needle`
  writeClaude(where, {
    id,
    cwd: `/made/${evil}`,
    model: evil,
    prompt: text,
    answer: text,
    tool: { name: evil, input: { command: text, [evil]: text }, output: `${text}\n`.repeat(3) },
  })
  return where
}

test.each([
  [['sessions', '--all']],
  [['show', id, '--full', '--system', '--thinking']],
  [['show', id]],
  [['search', 'needle']],
  [[]],
  [['doctor']],
  [['show', evil]],
  [['search', `agent:${evil}`]],
  [['sessions', '--since', evil]],
  [['export', id]],
  [['export', id, '--format', 'html', '--full']],
  [['share', id]],
])('ion %j prints nothing that a terminal would obey', async (args) => {
  const { out, err } = await runIon(hostile(), args)
  expect(out + err).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
  if (args[0] !== 'doctor' && args[1] === id) expect(out).toContain('needle')
})

test('JSON output is complete and escapes what cannot be printed', async () => {
  const where = hostile()
  const shown = await runIon(where, ['show', id, '--json'])
  const events = shown.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(events[1]).toMatchObject({ type: 'user', content: `${evil}\0 ${html} needle` })
  const others = [
    ['sessions', '--all', '--json'],
    ['export', id, '--format', 'jsonl'],
    ['export', id, '--format', 'json'],
  ]
  for (const args of others) {
    const { out } = await runIon(where, args)
    expect(out, args.join(' ')).toContain('owned')
    expect(out, args.join(' ')).not.toMatch(UNPRINTABLE)
  }
  expect(shown.out).not.toMatch(UNPRINTABLE)
  expect((await listed(where))[0]).toMatchObject({ cwd: `/made/${evil}` })
})

test('nothing in a transcript is executed in an exported page', async () => {
  const { out } = await runIon(hostile(), ['export', id, '--format', 'html', '--full', '--system'])
  const tags = [...out.matchAll(/<([a-z][\w-]*)([^>]*)>/gi)]
  expect(tags.map(([, name]) => name)).not.toContain('script')
  expect(tags.map(([, name]) => name)).not.toContain('img')
  for (const [, , attributes] of tags) expect(attributes).not.toMatch(/\son\w+\s*=|javascript:/i)
  // Its text can still be read.
  expect(out).toContain('&lt;script&gt;alert(1)')
})

test('an id that is a path, a pattern or SQL matches no session', async () => {
  const where = hostile()
  const references = [
    '../../../../etc/passwd',
    '/etc/passwd',
    '..',
    '-',
    '',
    'a'.repeat(10_000),
    '*',
    "'; DROP TABLE session; --",
  ]
  for (const [index, reference] of references.entries()) {
    const command = ['show', 'export', 'share'][index % 3]!
    const { code, out, err } = await runIon(where, [command, '--', reference])
    expect({ command, reference, code, out }).toEqual({ command, reference, code: 3, out: '' })
    expect(err).toMatch(/^ion: no session matches /)
  }
})

test('a store whose ids and titles are paths: exported files stay in their folder', async () => {
  const where = machine('goose/fixtures/handmade-schema-13')
  const database = openDatabase(join(where.home, '.local/share/goose/sessions/sessions.db'))
  database.exec('PRAGMA foreign_keys = OFF')
  const path = '../../../evil/../../x'
  const [first] = database.prepare('SELECT id FROM sessions ORDER BY id').all() as { id: string }[]
  for (const [table, column] of [
    ['messages', 'session_id'],
    ['sessions', 'id'],
  ]) {
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(path, first!.id)
  }
  database.exec(`UPDATE sessions SET name = '${path}', description = '../../${'a/'.repeat(400)}'`)
  database.close()
  const target = join(where.root, 'deep/down/out')
  const { code, err } = await runIon(where, ['export', '--all', '-o', target])
  expect({ code, err }).toMatchObject({ code: 0 })
  const rows = await listed(where)
  expect(rows.map((row) => row.native_id)).toContain(path)
  expect(readdirSync(target).length).toBeGreaterThanOrEqual(rows.length)
  const outside = filesBelow(where.root).filter(
    (file) => /evil|\.md$/.test(file) && !resolve(file).startsWith(`${target}/`),
  )
  expect(outside).toEqual([])
  const { out } = await runIon(where, ['show', path, '--json'])
  expect(JSON.parse(out.split('\n')[0]!)).toMatchObject({ type: 'session_start', native_id: path })
})

test('an id that matches two sessions is refused, with how to name each', async () => {
  const where = machine()
  const twin = 'a0000000-0000-4000-8000-0000000000aa'
  writeClaude(where, { id: twin, prompt: 'the one' })
  writeClaude(where, { id: 'a0000000-0000-4000-8000-0000000000ab', prompt: 'another' })
  const other = machine('auggie/fixtures/handmade-nodes')
  const sessions = join(other.home, '.augment')
  cpSync(sessions, join(where.home, '.augment'), { recursive: true })
  const both = await runIon(where, ['show', twin])
  expect({ code: both.code, out: both.out }).toEqual({ code: 2, out: '' })
  expect(both.err).toContain(`"${twin}" matches 2 sessions`)
  expect(both.err).toContain(`claude:${twin}`)
  expect(both.err).toContain(`auggie:${twin}`)
  expect((await runIon(where, ['show', `claude:${twin}`])).out).toContain('the one')
  const prefix = await runIon(where, ['export', 'a0000000-0000-4000-8000-0000000000'])
  expect({ code: prefix.code, out: prefix.out }).toEqual({ code: 2, out: '' })
  expect(prefix.err).toMatch(/matches [34] sessions/)
})
