import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { sampleIo } from '../../../../test/support/sample-home.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { Io } from '../../../platform/io.ts'
import type { UsageRow, UsageSums } from '../../../usage/report.ts'
import { main } from '../../main.ts'

async function ion(io: Io, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(io)
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

type Line = { readonly kind: string } & Partial<UsageRow> & UsageSums

async function report(io: Io, ...argv: string[]): Promise<{ rows: Line[]; total: Line & { repeated: number } }> {
  const { code, out } = await ion(io, 'usage', ...argv, '--json')
  expect(code).toBe(0)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return { rows: lines.slice(0, -1), total: lines.at(-1) as Line & { repeated: number } }
}

function sumsIn({ calls, tokens, cost, cost_given }: UsageSums): Partial<UsageSums> {
  return { calls, tokens, cost, cost_given }
}

interface Answer {
  readonly id: string
  readonly output: number
  readonly time?: string
  readonly model?: string
}

const SESSION = '3f2a0000-0000-4000-8000-00000000000'

/** A session of one prompt and some answers, each of 100 uncached tokens of input. */
function writeSession(io: Io, number: number, answers: readonly Answer[], more: { sidechain?: true } = {}): string {
  const id = `${SESSION}${number}`
  const path = join(io.home, `.claude/projects/-home-dev-shop/${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const base = { sessionId: id, cwd: '/home/dev/shop', version: '2.1.325', ...more }
  writeFileSync(
    path,
    `${JSON.stringify({ ...base, type: 'user', uuid: `${number}-u`, parentUuid: null, timestamp: `2026-11-1${number}T08:00:00.000Z`, message: { role: 'user', content: `prompt ${number}` } })}\n`,
  )
  for (const answer of answers) appendFileSync(path, answerLine(base, answer))
  return path
}

function answerLine(
  base: object,
  { id, output, time = '2026-11-18T09:00:00.000Z', model = 'claude-opus-4-5-20251101' }: Answer,
): string {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: output }
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: id }],
    stop_reason: null,
    usage,
  }
  return `${JSON.stringify({ ...base, parentUuid: null, type: 'assistant', message, requestId: `req_${id}`, uuid: `uuid-${id}`, timestamp: time })}\n`
}

test('every report has the same total, and says what it counts', async () => {
  const io = sampleIo()
  const { total } = await report(io)
  expect(total.calls).toBeGreaterThan(30)
  for (const by of ['weekly', 'monthly', 'sessions', 'models', 'projects', 'agents', 'blocks']) {
    const other = await report(io, by)
    expect({ by, ...sumsIn(other.total) }).toEqual({ by, ...sumsIn(total) })
    expect(other.rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls)
    expect(other.rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(total.cost)
  }
})

test('the total is the same from the store, the archive and a snapshot, and survives the deletion by the agent', async () => {
  const io = sampleIo()
  const { total } = await report(io)
  await ion(io, 'capture', '--all')
  const archived = await report(io)
  expect(sumsIn(archived.total)).toEqual(sumsIn(total))
  expect(archived.total.repeated).toBe(total.calls)
  const snapshot = join(io.home, 'all.ion.tar')
  expect((await ion(io, 'snapshot', 'create', snapshot)).code).toBe(0)

  for (const folder of ['.claude', '.codex', '.gemini', '.augment', '.pi'])
    rmSync(join(io.home, folder), { recursive: true })
  const { total: deleted } = await report(io)
  expect(sumsIn(deleted)).toEqual(sumsIn(total))

  const other = scratchIo()
  expect((await ion(other, 'snapshot', 'restore', snapshot)).code).toBe(0)
  expect(sumsIn((await report(other)).total)).toEqual(sumsIn(total))
})

test('a fork counts only what is new in it, whichever is read first', async () => {
  const io = scratchIo()
  const shared = [
    { id: 'a', output: 10 },
    { id: 'b', output: 20 },
  ]
  writeSession(io, 1, shared)
  const before = (await report(io)).total
  writeSession(io, 2, [...shared, { id: 'c', output: 40 }])
  const { rows, total } = await report(io, 'sessions')
  expect([before.tokens.output, total.tokens.output, total.repeated]).toEqual([30, 70, 2])
  expect(Object.fromEntries(rows.map(({ key, tokens }) => [key, tokens.output]))).toEqual({
    [`${SESSION}1`]: 30,
    [`${SESSION}2`]: 40,
  })
  const explained = await ion(io, 'usage', 'explain', `${SESSION}2`)
  expect(explained.out).toContain('counted in 3f2a0000-0000-4000-8000-000000000001')
  expect(explained.out).toContain('counted in this session: 1 call, $0.0015')
  expect(explained.out).toContain('counted in another session that also has them: 2 calls')
})

test('days are those of the time zone, and ranges select among them', async () => {
  const io = scratchIo()
  writeSession(io, 1, [
    { id: 'a', output: 1, time: '2026-11-17T22:30:00.000Z' },
    { id: 'b', output: 2, time: '2026-11-17T23:30:00.000Z' },
    { id: 'c', output: 4, time: '2026-11-30T23:30:00.000Z', model: 'made-up-model' },
  ])
  const days = async (...argv: string[]): Promise<unknown> =>
    (await report(io, ...argv)).rows.map(({ key, tokens }) => [key, tokens.output])
  expect(await days('--timezone', 'UTC')).toEqual([
    ['2026-11-17', 3],
    ['2026-11-30', 4],
  ])
  expect(await days('--timezone', 'Europe/Berlin')).toEqual([
    ['2026-11-17', 1],
    ['2026-11-18', 2],
    ['2026-12-01', 4],
  ])
  expect(await days('weekly', '--timezone', 'UTC')).toEqual([
    ['2026-11-16', 3],
    ['2026-11-30', 4],
  ])
  expect(await days('monthly', '--timezone', 'Asia/Tokyo')).toEqual([
    ['2026-11', 3],
    ['2026-12', 4],
  ])
  expect(await days('--timezone', 'UTC', '--until', '2026-11-17')).toEqual([['2026-11-17', 3]])
  expect(await days('--timezone', 'UTC', '--since', '2026-11-18')).toEqual([['2026-11-30', 4]])
  expect(await days('--timezone', 'UTC', '--model', 'OPUS')).toEqual([['2026-11-17', 3]])
  expect(await days('--agent', 'codex')).toEqual([])
  expect(await days('--timezone', 'UTC', '--project', '/home/dev')).toEqual([
    ['2026-11-17', 3],
    ['2026-11-30', 4],
  ])
})

test('a model without a price is listed, and does not cost nothing', async () => {
  const io = scratchIo()
  writeSession(io, 1, [{ id: 'a', output: 5, model: 'made-up-model' }])
  const { rows, total } = await report(io, 'models')
  expect(rows).toMatchObject([{ key: 'made-up-model', cost: null, unpriced_calls: 1, unpriced_tokens: 105 }])
  expect(total).toMatchObject({ cost: null, unpriced: [{ model: 'made-up-model', calls: 1, tokens: 105 }] })
  const { out } = await ion(io, 'usage')
  expect(out).toContain('models without a price: made-up-model (105 tokens)\n  -> ion prices set made-up-model')
  await ion(io, 'prices', 'set', 'made-up-model', '--input', '1', '--output', '2')
  expect((await report(io)).total).toMatchObject({ cost: 110, unpriced: [] })
})

test('a table fits into 80 columns', async () => {
  const io = sampleIo()
  for (const by of ['daily', 'sessions', 'models', 'projects', 'agents', 'blocks']) {
    for (const more of [[], ['--breakdown']]) {
      const { out } = await ion(io, 'usage', by, ...more)
      const [table] = out.split('\n\n')
      expect(Math.max(...table!.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
      // Bars leave the space to the figures.
      expect(table).toMatch(by === 'sessions' ? /^session +title .*cost +by the agent/ : /^.* +output +cost/)
    }
  }
})

test('rows that are not shown are one row, so that the column adds up to the total', async () => {
  const io = scratchIo()
  writeSession(
    io,
    1,
    ['10', '11', '12'].map((day, index) => ({
      id: day,
      output: 10 ** index,
      time: `2026-11-${day}T09:00:00.000Z`,
      model: `claude-opus-4-${5 + index}`,
    })),
  )
  const lines = async (...argv: string[]): Promise<string[]> =>
    (await ion(io, 'usage', ...argv)).out.split('\n').map((line) => line.replace(/ +/g, ' ').trim())
  const daily = await lines('--timezone', 'UTC', '--limit', '1')
  expect(daily.slice(1, 4).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    '2 earlier',
    '2026-11-12 Claude',
    'total 3',
  ])
  expect(daily[1]).toContain(' 200 11 ')
  expect((await lines('models', '--limit', '1'))[2]).toMatch(/^2 more /)
})

test('times are those of the zone, also in a range', async () => {
  const io = scratchIo()
  writeSession(io, 1, [
    { id: 'a', output: 1, time: '2026-11-17T22:30:00.000Z' },
    { id: 'b', output: 2, time: '2026-11-17T23:30:00.000Z' },
  ])
  const tokyo = ['--timezone', 'Asia/Tokyo']
  const outputs = async (...argv: string[]): Promise<number> => (await report(io, ...argv)).total.tokens.output
  expect(await outputs('--since', '2026-11-18T08:00', ...tokyo)).toBe(2)
  expect(await outputs('--until', '2026-11-18 08:00:00', ...tokyo)).toBe(1)
  expect(await outputs('--since', '2026-11-18T08:00:00Z', ...tokyo)).toBe(0)
  expect((await ion(io, 'usage', 'blocks', ...tokyo)).out).toContain('\n2026-11-18 07:00 ')
  expect((await ion(io, 'usage', 'explain', `${SESSION}1`, ...tokyo)).out).toContain('\n2026-11-18 07:30:00 ')
})

test('a selection says nothing of what is repeated outside of it', async () => {
  const io = scratchIo()
  writeSession(io, 1, [{ id: 'a', output: 1 }])
  writeSession(io, 2, [{ id: 'a', output: 1 }])
  expect((await report(io)).total.repeated).toBe(1)
  expect((await report(io, '--agent', 'claude')).total.repeated).toBeNull()
  expect((await report(io, '--model', 'unheard-of')).total.repeated).toBeNull()
  expect((await ion(io, 'usage', '--model', 'unheard-of')).out).toBe('no usage is recorded in this selection\n')
})

test('a project that nobody knows is not one without usage', async () => {
  const io = scratchIo()
  writeSession(io, 1, [{ id: 'a', output: 1 }])
  const { code, err } = await ion(io, 'usage', 'models', '--project', 'shopp')
  expect([code, err]).toEqual([3, expect.stringContaining('ion usage models --project /home/dev/shop\n')])
})

test('explain does not print an unknown price as $0, and lists what is not counted', async () => {
  const io = scratchIo()
  const path = writeSession(io, 1, [{ id: 'a', output: 5, model: 'made-up-model' }])
  const text = async (): Promise<string> => (await ion(io, 'usage', 'explain', `${SESSION}1`)).out
  expect(await text()).toContain('counted in this session: 1 call, without a known price\n')
  // The same answer in a second record.
  const copy = answerLine({ sessionId: `${SESSION}1` }, { id: 'a', output: 5, model: 'made-up-model' })
  appendFileSync(path, copy.replace('"uuid":"uuid-a"', '"uuid":"uuid-of-another-block"'))
  appendFileSync(path, answerLine({ sessionId: `${SESSION}1` }, { id: 'b', output: 10 }))
  expect(await text()).toContain('counted in this session: 2 calls, $0.0008+\n')
  expect(await text()).toMatch(/ not counted: repeated\n/)
  expect(await text()).toContain('not counted: 1 record (repeats a call that was counted)\n')
})

test('comma-separated values, with unknown ones empty and formulas disarmed', async () => {
  const io = scratchIo()
  const path = writeSession(io, 1, [
    { id: 'a', output: 5 },
    { id: 'b', output: 7, model: 'made-up\x1b[31m-model', time: '2026-11-18T09:00:01.000Z' },
  ])
  appendFileSync(
    path,
    `${JSON.stringify({ type: 'custom-title', customTitle: '=1+1, "quoted"', sessionId: `${SESSION}1` })}\n`,
  )
  const { out } = await ion(io, 'usage', 'sessions', '--breakdown', '--csv')
  expect(out.split('\n')).toEqual([
    'key,title,project,parent_session,block_ends,agents,models,first,last,calls,sums,input,output,cache_read,cache_write,cache_write_1h,reasoning,cost_micro_usd,unpriced_tokens,cost_given_micro_usd',
    `${SESSION}1,"'=1+1, ""quoted""",/home/dev/shop,,,claude,claude-opus-4-5-20251101,2026-11-18T09:00:00.000Z,2026-11-18T09:00:00.000Z,1,0,100,5,0,0,0,0,625,0,`,
    `${SESSION}1,"'=1+1, ""quoted""",/home/dev/shop,,,claude,made-up-model,2026-11-18T09:00:01.000Z,2026-11-18T09:00:01.000Z,1,0,100,7,0,0,0,0,,107,`,
    '',
  ])
})

test.each([
  [['usage', 'nonsense'], 'unknown report'],
  [['usage', '--json', '--csv'], 'cannot be combined'],
  [['usage', 'explain'], 'no session is given'],
  [['usage', 'daily', 'more'], 'one argument too many'],
  [['usage', 'explain', 'abcd', '--csv'], 'takes no --csv'],
  [['usage', '--since', 'whenever'], 'is not a time'],
  [['usage', '--timezone', 'nowhere'], 'is not a time zone'],
  [['usage', '--agent', 'nobody'], 'nobody'],
])('%j is refused', async (argv, message) => {
  const { code, err } = await ion(scratchIo(), ...argv)
  expect(code).not.toBe(0)
  expect(err).toContain(message)
})

test('no usage at all', async () => {
  expect(await ion(scratchIo(), 'usage')).toEqual({
    code: 0,
    out: 'no usage is recorded on this machine\n',
    err: '',
  })
  expect((await ion(scratchIo(), 'usage', 'quotas')).err).toContain('no agent has stored a limit that still applies')
})
