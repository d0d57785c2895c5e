import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canRunUnprivileged } from '../support/unprivileged.ts'
import { writeClaude } from './claude-session.ts'
import { listed, type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const ID = '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'
const OTHER = '4a2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'

function world(): Machine {
  const where = machine()
  writeClaude(where, { id: ID, prompt: 'Fix the cart', answer: 'Done.' })
  writeClaude(where, { id: OTHER, prompt: 'Add refunds', answer: 'Added.' })
  return where
}

const marksFile = ({ ionHome }: Machine): string => join(ionHome, 'organise.jsonl')
const said = ({ code, out, err }: Outcome): { code: number | null; out: string; err: string } => ({ code, out, err })

/** What Ion lists about a session. */
async function marksOf(where: Machine, id: string): Promise<Record<string, unknown>> {
  const { title, name, tags, pinned, note } = (await listed(where)).find((row) => row.id === id)!
  return { title, name, tags, pinned, note }
}

test('rename: the name is shown and finds the session, until it is removed', async () => {
  const where = world()
  const ion = async (...args: string[]): Promise<ReturnType<typeof said>> => said(await runIon(where, args))
  expect(await ion('rename', '3f2a', 'Cart', 'sums -x')).toEqual({
    code: 0,
    out: `${ID}: "Fix the cart" -> "Cart sums -x"\n`,
    err: '',
  })
  expect(await ion('rename', 'cart sums', 'Cart sums -x')).toMatchObject({
    code: 0,
    out: `${ID}: already has the name "Cart sums -x"\n`,
  })
  expect((await ion('show', 'cart s')).out).toMatch(/^Cart sums -x\n/)
  expect((await ion('sessions', '--all')).out).toContain('Cart sums -x')
  expect((await ion('search', 'sums')).out).toContain(`${ID} ·`)
  const exported = await ion('export', ID)
  expect(exported.out).toContain('\n# Cart sums -x\n')
  expect((await ion('export', ID, '--format', 'jsonl')).out).not.toContain('sums')
  expect((await ion('rename', ID)).out).toBe(`${ID}: "Cart sums -x" -> "Fix the cart"\n`)
  expect((await ion('rename', ID)).out).toBe(`${ID}: has no given name; its title is "Fix the cart"\n`)
})

test('tag: added, listed, searched and removed', async () => {
  const where = world()
  const ion = async (...args: string[]): Promise<ReturnType<typeof said>> => said(await runIon(where, args))
  expect(await ion('tag', ID, 'Pay', '#v2')).toEqual({ code: 0, out: `${ID}: #pay #v2\n`, err: '' })
  expect(await ion('tag', OTHER, 'v2')).toMatchObject({ code: 0 })
  const before = readFileSync(marksFile(where), 'utf8')
  expect(await ion('tag', ID, 'pay')).toEqual({
    code: 0,
    out: `${ID}: #pay #v2\n`,
    err: `${ID} already had #pay\n`,
  })
  expect(readFileSync(marksFile(where), 'utf8')).toBe(before)
  expect(await ion('tag', ID)).toEqual({ code: 0, out: 'pay\nv2\n', err: '' })
  expect((await ion('tag')).out).toBe('tag  sessions\npay         1\nv2          2\n')
  expect((await ion('tag', '--json')).out).toBe('{"tag":"pay","sessions":1}\n{"tag":"v2","sessions":2}\n')
  expect((await ion('sessions', '--all', '--tag', 'pay', '--json')).out.trim().split('\n')).toHaveLength(1)
  expect((await ion('sessions', '--all', '--tag', 'pay', '--tag', 'v2', '--json')).out.trim().split('\n')).toHaveLength(
    2,
  )
  expect((await ion('search', 'tag:v2', 'refunds', '--json')).out).toContain(`"session":{"id":"${OTHER}"`)
  expect(await ion('search', 'tag:vv2')).toEqual({
    code: 1,
    out: '',
    err: 'ion: no session has the tag vv2\n  -> did you mean v2?\n',
  })
  expect((await ion('complete', '--', 'tag', ID, 'p')).out).toBe('pay\t1 session\n')
  expect(await ion('tag', '-d', ID, 'pay', 'x')).toEqual({
    code: 0,
    out: `${ID}: #v2\n`,
    err: `${ID} did not have #x\n`,
  })
})

test('pin: marked in lists, which stay in their order', async () => {
  const where = world()
  const ion = async (...args: string[]): Promise<ReturnType<typeof said>> => said(await runIon(where, args))
  const order = (await listed(where)).map(({ id }) => id)
  expect(await ion('pin')).toEqual({ code: 0, out: '', err: 'no session is pinned: ion pin <id>\n' })
  // All are found before any is changed.
  expect((await ion('pin', OTHER, 'nope')).code).toBe(3)
  expect(existsSync(marksFile(where))).toBe(false)
  expect((await ion('pin', order[1] as string)).out).toContain(`pinned: ${order[1]}`)
  expect((await ion('pin', order[1] as string)).out).toContain(`was already pinned: ${order[1]}`)
  expect((await listed(where)).map(({ id, pinned }) => [id, pinned])).toEqual([
    [order[0], false],
    [order[1], true],
  ])
  expect((await ion('pin')).out).toContain('[pin] ')
  expect((await ion('sessions', '--all', '--pinned', '--json')).out.trim().split('\n')).toHaveLength(1)
  expect((await ion('search', 'is:pinned', 'the', 'OR', 'refunds', '--json')).out.trim().split('\n')).toHaveLength(1)
  expect((await ion('pin', '-d', order[1] as string)).out).toContain(`unpinned: ${order[1]}`)
  expect((await ion('pin', '--json')).out).toBe('')
})

test('note: written, edited, found, shown and kept private', async () => {
  const where = world()
  const ion = async (...args: string[]): Promise<ReturnType<typeof said>> => said(await runIon(where, args))
  expect(await ion('note', ID)).toEqual({ code: 0, out: '', err: `${ID} has no note: ion note ${ID} <text>\n` })
  expect((await ion('note', ID, 'ask Kim', 'about -x')).out).toBe(`${ID}: note saved\n`)
  expect(await ion('note', ID)).toEqual({ code: 0, out: 'ask Kim about -x\n', err: '' })
  expect((await ion('search', 'kim')).out).toMatch(new RegExp(`${ID} · [\\s\\S]*note: ask Kim about -x`))
  expect((await ion('show', ID)).out).toContain('\nnote: ask Kim about -x\n')
  for (const args of [
    ['export', ID],
    ['share', ID],
    ['export', ID, '--format', 'html'],
  ]) {
    expect((await ion(...args)).out).not.toContain('Kim')
  }
  // An editor that adds a line; one that fails changes nothing.
  const editor = join(where.root, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\n[ "$1" = add ] || exit 7\necho "second\u001b[31m line" >> "$2"\n', { mode: 0o755 })
  const env = { EDITOR: `${editor} add` }
  expect(said(await runIon(where, ['note', '--edit', ID], { env })).out).toBe(`${ID}: note replaced\n`)
  expect((await ion('note', ID)).out).toBe('ask Kim about -x\nsecond line\n')
  const failed = await runIon(where, ['note', '--edit', ID], { env: { EDITOR: `${editor} fail` } })
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('exit code 7; nothing was changed')])
  const empty = { VISUAL: join(where.root, 'empty.sh') }
  writeFileSync(empty.VISUAL, '#!/bin/sh\n: > "$1"\n', { mode: 0o755 })
  expect(said(await runIon(where, ['note', '--edit', ID], { env: empty })).out).toBe(`${ID}: note removed\n`)
  expect((await ion('note', '--remove', ID)).err).toBe(`${ID}: there was no note\n`)
})

test('everything survives the index, its deletion, and the deletion of an archived session by its agent', async () => {
  const where = world()
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args)
  await ion('rename', ID, 'Kept')
  await ion('tag', ID, 'x')
  await ion('pin', ID)
  await ion('note', ID, 'a note')
  expect(statSync(marksFile(where)).mode & 0o777).toBe(0o600)
  const marks = { title: 'Kept', name: 'Kept', tags: ['x'], pinned: true, note: 'a note' }
  expect((await ion('reindex', '--from-scratch')).code).toBe(0)
  expect(await marksOf(where, ID)).toEqual(marks)
  expect((await ion('capture', ID)).code).toBe(0)
  rmSync(join(where.home, '.claude/projects/-made', `${ID}.jsonl`))
  expect(await marksOf(where, ID)).toEqual(marks)
  expect((await ion('search', 'note', 'tag:x')).out).toContain("only in Ion's archive")
})

test('two processes at once lose nothing', async () => {
  const where = world()
  await listed(where)
  const tags = Array.from({ length: 8 }, (_, index) => `t${index}`)
  const done = await Promise.all(tags.map((tag) => runIon(where, ['tag', ID, tag])))
  expect(done.map(({ code }) => code)).toEqual(tags.map(() => 0))
  expect(await marksOf(where, ID)).toMatchObject({ tags })
  // A process that was killed while it wrote.
  appendFileSync(marksFile(where), '{"at":"2026-')
  expect((await runIon(where, ['pin', ID])).code).toBe(0)
  expect(await marksOf(where, ID)).toMatchObject({ tags, pinned: true })
})

test('in a snapshot, and merged where it is restored', async () => {
  const here = world()
  await runIon(here, ['rename', ID, 'From here'])
  await runIon(here, ['tag', ID, 'here'])
  const file = join(here.root, 'all.tar.gz')
  expect((await runIon(here, ['snapshot', 'create', file])).code).toBe(0)

  const there = machine()
  writeClaude(there, { id: ID, prompt: 'Fix the cart', answer: 'Done.' })
  await runIon(there, ['tag', ID, 'there'])
  const dry = await runIon(there, ['snapshot', 'restore', file, '--dry-run'])
  expect([dry.code, (await marksOf(there, ID)).tags]).toEqual([0, ['there']])
  const restored = await runIon(there, ['snapshot', 'restore', file])
  expect(restored.out).toMatch(/restored 1 session, 1 already identical, names, tags, pins or notes of 1 session\n$/)
  expect(await marksOf(there, ID)).toEqual({
    ...{ title: 'From here', name: 'From here', tags: ['here', 'there'], pinned: false, note: null },
  })
  const before = readFileSync(marksFile(there), 'utf8')
  const again = await runIon(there, ['snapshot', 'restore', file])
  expect(again.out).toBe('restored 0 sessions, 2 already identical\n')
  expect(readFileSync(marksFile(there), 'utf8')).toBe(before)
})

test.skipIf(!canRunUnprivileged)('a home that may not be written: an error that says what to do', async () => {
  const where = world()
  await listed(where)
  mkdirSync(where.ionHome, { recursive: true })
  chmodSync(where.ionHome, 0o500)
  const { code, err } = await runIon(where, ['pin', ID], { unprivileged: true })
  chmodSync(where.ionHome, 0o700)
  expect(code).toBe(1)
  expect(err).toContain(`cannot write ${marksFile(where)}`)
  expect(err).toContain(`  -> check the permissions of ${marksFile(where)}, or set ION_HOME`)
})

test('names and notes of another machine are untrusted: no control characters reach the terminal', async () => {
  const where = world()
  mkdirSync(where.ionHome, { recursive: true })
  const line = (op: string, value: string): string =>
    `${JSON.stringify({ at: '2026-11-16T00:00:00.000Z', agent: 'claude', id: ID, op, value })}\n`
  const evil = '\u001b]0;x\u0007evil\u001b[2J\r\u202e'
  writeFileSync(marksFile(where), ['name', 'note', 'tag'].map((op) => line(op, evil)).join(''))
  for (const args of [
    ['sessions', '--all'],
    ['show', ID],
    ['note', ID],
    ['tag'],
    ['tag', ID],
    ['search', 'evil'],
    ['rename', ID],
  ]) {
    const { code, out, err } = await runIon(where, args)
    expect({ args, code, out: /[\x07\x1b\u202e]/.test(out + err) }).toEqual({ args, code: 0, out: false })
  }
})
