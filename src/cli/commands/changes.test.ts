import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { sampleIo } from '../../../test/support/sample-home.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { main } from '../main.ts'

const ion = (...args: string[]): ReturnType<typeof ionIn> => ionIn(sampleIo(), ...args)

async function ionIn(io: Io, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(io, { isTTY: false })
  const code = await main(args, context)
  return { code, out: context.out.text, err: context.err.text }
}

const TITLE = 'Customers get their refund twice'

test('the files of a session and how much was changed', async () => {
  expect(await ion('changes', TITLE, '--stat')).toEqual({
    code: 0,
    out: 'Customers get their refund twice · from the transcript\n2 files +7 -1\n\nsrc/webhooks/payment.ts  +1 -1\nsrc/refunds.ts  +6\n',
    err: '',
  })
})

test('the edits of one turn as a diff, and as JSON', async () => {
  const { out } = await ion('changes', TITLE, '--turn', '2')
  expect(out).toContain('-    await refunds.pay(event.orderId, event.amount)\n+    await refunds.payOnce(event.id,')
  const { out: json } = await ion('changes', TITLE, '--json', '--turn', '-2')
  expect(
    json
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { path: '/home/dev/shop/src/webhooks/payment.ts', kind: 'edit', added: 1, removed: 1, turn: 2 },
    { path: '/home/dev/shop/src/refunds.ts', kind: 'edit', added: 6, removed: 0, turn: 2 },
  ])
  expect(await ion('changes', TITLE, '--turn', '1')).toEqual({
    code: 1,
    out: '',
    err: 'no tool call in this turn changed a file, as far as the transcript says\n',
  })
  expect(await ion('changes', TITLE, '--turn', '99')).toEqual({
    code: 3,
    out: '',
    err: 'ion: the session has 3 turns\n  -> ion show <id> --turn -1 shows the last one\n',
  })
})

test('turns are counted as ion show does, on the branch that was continued', async () => {
  const io = scratchIo()
  const ID = '3f2a0000-0000-4000-8000-000000000002'
  const record = (uuid: string, parentUuid: string | null, type: 'user' | 'assistant', content: unknown): string =>
    JSON.stringify({
      ...{ uuid, parentUuid, type, sessionId: ID, cwd: '/made', version: '2.1.325' },
      ...{ timestamp: '2026-11-15T12:00:00.000Z', message: { id: `m-${uuid}`, role: type, model: 'm', content } },
    })
  const write = (id: string, file: string): unknown => [
    { type: 'tool_use', id, name: 'Write', input: { file_path: file, content: 'text' } },
  ]
  const folder = join(io.home, '.claude/projects/-made')
  mkdirSync(folder, { recursive: true })
  const lines = [
    record('u1', null, 'user', 'first prompt'),
    record('a1', 'u1', 'assistant', 'first answer'),
    record('u2', 'a1', 'user', 'abandoned prompt'),
    record('a2', 'u2', 'assistant', write('call-2', '/made/abandoned.txt')),
    record('u3', 'a1', 'user', 'other prompt'),
    record('a3', 'u3', 'assistant', write('call-3', '/made/kept.txt')),
  ]
  writeFileSync(join(folder, `${ID}.jsonl`), `${lines.join('\n')}\n`)
  expect((await ionIn(io, 'show', ID, '--turn', '2')).out).toContain('other prompt')
  const { out } = await ionIn(io, 'changes', ID, '--turn', '2', '--json')
  expect(JSON.parse(out)).toMatchObject({ path: '/made/kept.txt', turn: 2 })
  expect((await ionIn(io, 'changes', ID, '--turn', '3')).err).toContain('the session has 2 turns')
  const all = await ionIn(io, 'changes', ID)
  expect(all.out).toContain('turn 2 · written as a whole · #call-3')
  expect(all.out).toContain('another branch · written as a whole · #call-2')
})

test('which sessions changed a file, or files below a folder, of any agent', async () => {
  const one = await ion('files', '/home/dev/shop/src/refunds.ts')
  expect(one).toMatchObject({
    code: 0,
    err: '1 session changed /home/dev/shop/src/refunds.ts, as far as the transcripts say\n',
  })
  expect(one.out).toMatch(
    /^Customers get their refund twice\n {2}[0-9a-f-]{36}#toolu_\w+ · \w+ · \w+ · 1 change\n {2}\+/,
  )
  const folder = await ion('files', '/home/dev/shop', '--full')
  expect(folder.out).toMatch(/ {2}turn 2 · #toolu_\w+ · src\/refunds\.ts \+6\n/)
  const all = await ion('files', '/home/dev/shop', '--json', '--limit', '0')
  const agents = new Set(
    all.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { session: { agent: string } }).session.agent),
  )
  expect(agents.size).toBeGreaterThanOrEqual(9)
  expect(await ion('files', '/home/dev/shop/nowhere.ts')).toMatchObject({ code: 1, out: '' })
})

test('a relative path of another folder: what was looked for, and what to type', async () => {
  const io = sampleIo()
  const asked = (path: string): ReturnType<typeof ion> => ionIn(io, 'files', path)
  const said = (path: string): string => `no session changed ~/${path}, as far as the transcripts say\n`
  const elsewhere = '  -> a session changed one with that name in another folder:\n     ion files /home/dev/shop/src'
  const file = await asked('./src/refunds.ts')
  expect(file).toEqual({ code: 1, out: '', err: `${said('src/refunds.ts')}${elsewhere}/refunds.ts\n` })
  const folder = await asked('src/')
  expect(folder.err.startsWith(`${said('src')}${elsewhere}\n`)).toBe(true)
  expect((await asked('nowhere.ts')).err).toBe(
    `${said('nowhere.ts')}  -> it was looked for in the current folder; for another one, give an absolute path\n`,
  )
})
