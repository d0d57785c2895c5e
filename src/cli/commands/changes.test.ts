import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { sampleIo } from '../../../test/support/sample-home.ts'
import { main } from '../main.ts'

async function ion(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(sampleIo(), { isTTY: false })
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
