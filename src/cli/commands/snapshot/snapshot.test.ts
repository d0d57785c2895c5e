import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../../../test/support/scratch.ts'
import { ionHome } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { main } from '../../main.ts'

const ID = '33333333-3333-4333-8333-333333333333'

test('a snapshot says how many sessions are only in the archive, which it does not contain', async () => {
  const io = scratchIo(join(import.meta.dirname, '../../../agents/claude/fixtures/2.1.325'))
  const ion = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
    const context = fakeContext(io)
    return { code: await main(argv, context), out: context.out.text, err: context.err.text }
  }
  expect((await ion('capture', ID)).code).toBe(0)
  expect(await ion('snapshot', 'create', join(io.home, 'all.tar.gz'))).toMatchObject({ code: 0, err: '' })

  rmSync(join(io.home, '.claude/projects/-home-dev1-projects-shop', `${ID}.jsonl`))
  const { code, err } = await ion('snapshot', 'create', join(io.home, 'rest.tar.gz'))
  expect({ code, err }).toEqual({
    code: 0,
    err: "ion: left out: 1 session only in Ion's archive; ion restore brings one back into its agent's store\n",
  })
  const other = await ion('snapshot', 'create', join(io.home, 'other.tar.gz'), '--agent', 'codex', '--json')
  expect(JSON.parse(other.out)).toMatchObject({ only_in_archive: 0 })
})

describe('in a store', () => {
  const FIXTURE = join(import.meta.dirname, '../../../agents/claude/fixtures/2.1.325')
  const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'

  function world() {
    const folder = join(scratchFolder(), 'store')
    mkdirSync(folder)
    return { folder, store: `file://${folder}` }
  }

  const machine = (fixture?: string): Io => ({
    ...scratchIo(fixture, { ION_REPLICA_KEY: KEY }),
    now: () => new Date('2026-11-18T14:02:31.007Z'),
  })

  async function ion(io: Io, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const context = fakeContext(io)
    const code = await main(['snapshot', ...argv], context)
    const staging = join(ionHome(io), 'replica')
    expect(existsSync(staging) ? readdirSync(staging) : []).toEqual([])
    return { code, out: context.out.text, err: context.err.text }
  }

  test('created, listed, verified and restored in an empty home; nothing readable is in the store', async () => {
    const { folder, store } = world()
    const first = machine(FIXTURE)
    const created = await ion(first, 'create', store)
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^file:.*\/store: \d+ sessions, /), err: '' })
    for (const file of filesBelow(folder)) {
      expect(file.slice(folder.length)).not.toMatch(/claude|shop/)
      expect(readFileSync(file).includes('claude')).toBe(false)
    }

    const second = machine()
    const listed = await ion(second, 'list', store, '--json')
    const sessions = listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect(sessions).toContain(ID)
    const verified = await ion(second, 'verify', store, '--json')
    expect(JSON.parse(verified.out)).toMatchObject({ file: store, ok: true, sessions: sessions.length })
    expect((await ion(second, 'verify', store)).out).toContain(`${store} is intact`)
    const restored = await ion(second, 'restore', store, ID)
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('restored 1 session') })
    expect(filesBelow(second.home).filter((file) => file.endsWith(`${ID}.jsonl`))).toHaveLength(1)
  })

  test('each create adds one; the newest is used, or that of --at, and stderr says which', async () => {
    const { store } = world()
    const first = machine(FIXTURE)
    const before = { ...first, now: () => new Date('2026-11-16T08:00:00Z') }
    expect((await ion(before, 'create', store, '--agent', 'codex')).code).toBe(0)
    expect((await ion(first, 'create', store, '--agent', 'claude')).code).toBe(0)
    const newest = await ion(machine(), 'list', store, '--json')
    expect(newest.out).toContain(ID)
    expect(newest.err).toMatch(/^snapshot of 2026-11-18 \d\d:\d\d; others \(--at\): 2026-11-16 \d\d:\d\d\n/)
    const older = await ion(machine(), 'list', store, '--at', '1d', '--json')
    expect({ code: older.code, out: older.out }).toEqual({ code: 0, out: '' })
    expect(await ion(machine(), 'list', store, '--at', '7d')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no snapshot in'),
    })
  })

  test('wrong input is refused with what to type, and reading creates nothing', async () => {
    const { folder, store } = world()
    const io = machine(FIXTURE)
    const wrong: readonly (readonly [readonly string[], number, string])[] = [
      [['restore', store], 3, `there is no replica in ${store}`],
      [['create', store, '--force'], 2, 'leave out --force'],
      [['create', store, '--at', '1d'], 2, 'takes no --at'],
      [['list', 'all.tar.gz', '--at', '1d'], 2, 'a file has only one'],
      [['list', store, '--at', 'soon'], 2, '"soon" is not a time'],
      [['create', 'https://example.com/x'], 2, 'is a web address'],
      [['create', 'ftp://example.com/x'], 2, 'cannot keep replicas in ftp://'],
      [['create', 'file:///'], 2, 'the root folder'],
      [['create', `${store}-none`], 3, 'does not exist'],
    ]
    for (const [argv, code, message] of wrong) {
      expect(await ion(io, ...argv), argv.join(' ')).toMatchObject({
        code,
        out: '',
        err: expect.stringContaining(message),
      })
    }
    expect(readdirSync(folder)).toEqual([])
    const noKey = { ...io, env: { ...io.env, ION_REPLICA_KEY: '' } }
    expect(await ion(noKey, 'create', store)).toMatchObject({
      code: 2,
      err: expect.stringContaining('ION_REPLICA_KEY'),
    })
    expect((await ion(io, 'create', store)).code).toBe(0)
    const otherKey = { ...io, env: { ...io.env, ION_REPLICA_KEY: KEY.replace('164XV', '164XQ') } }
    expect((await ion(otherKey, 'restore', store)).code).not.toBe(0)
  })

  test('a damaged store is refused, and nothing is restored', async () => {
    const { folder, store } = world()
    await ion(machine(FIXTURE), 'create', store)
    const piece = filesBelow(folder).find((file) => file.includes('pieces/'))!
    const bytes = readFileSync(piece)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(piece, bytes)
    const io = machine()
    for (const subcommand of ['verify', 'restore', 'list']) {
      expect(await ion(io, subcommand, store)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('was changed'),
      })
    }
    expect(filesBelow(io.home).filter((file) => file.includes('.claude'))).toEqual([])
  })
})
