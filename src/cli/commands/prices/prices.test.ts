import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { ionHome } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { costOf } from '../../../usage/prices/cost.ts'
import { loadPrices, packagedTable, updatedTablePath } from '../../../usage/prices/load-prices.ts'
import { digestOf } from '../../../usage/prices/price-table.ts'
import { main } from '../../main.ts'

interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function ion(io: Io, ...argv: string[]): Promise<Result> {
  const context = fakeContext(io)
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

/** After the shipped table was made. */
function later(date = '2027-03-01T10:00:00Z'): Io {
  return { ...scratchIo(), now: () => new Date(date) }
}

// East of Greenwich a day begins on the day before in UTC.
process.env.TZ = 'Europe/Berlin'

function records(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function micros(io: Io, model: string, at: string): Promise<number | undefined> {
  const { book } = await loadPrices(io)
  const usage = { input: 1_000_000, output: 0, cache_read: 0, cache_write: 0 }
  return costOf(book, usage, model, { at: new Date(at) })?.micros
}

/** A file as LiteLLM has it, with enough models, and one that the shipped table has at another price. */
function liteLlm(io: Io, more: Record<string, object> = {}): string {
  const entry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
  const entries = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`gpt-test-${at}`, entry]))
  const file = join(io.home, 'model_prices_and_context_window.json')
  writeFileSync(file, JSON.stringify({ ...entries, 'gpt-4.1': { ...entry, input_cost_per_token: 7e-6 }, ...more }))
  return file
}

test('the list says where prices come from, and writes nothing', async () => {
  const io = later()
  const table = await packagedTable()
  const { code, out, err } = await ion(io, 'prices')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`source   ${table.source}, shipped with Ion\n`)
  expect(out).toMatch(new RegExp(`date     ${table.date} \\(\\d+ days old\\)\n`))
  expect(out).toContain(digestOf(table.rows))
  const [record] = records((await ion(io, 'prices', '--json')).out)
  expect(record).toMatchObject({ kind: 'table', updated: false, date: table.date, digest: digestOf(table.rows) })
  expect(existsSync(ionHome(io))).toBe(false)
})

test('a model: its rates, the row and why', async () => {
  const io = later()
  const { code, out } = await ion(io, 'prices', 'openrouter/anthropic/claude-opus-4.5')
  expect(code).toBe(0)
  expect(out).toMatch(/^claude-opus-4-5 LiteLLM \S+: the maker's price, since the table has none of this provider\n/)
  expect(out).toMatch(/standard +5 +25 +0\.5 +6\.25 +10\n/)
  const rows = records((await ion(io, 'prices', 'gpt-5.5', '--json')).out)
  expect(rows).toMatchObject([{ kind: 'row', asked: 'gpt-5.5', model: 'gpt-5.5', rules: ['exact'], used_now: true }])
})

test('an unknown model has no price, but suggestions', async () => {
  const { code, out, err } = await ion(later(), 'prices', 'claude-opus-4-55')
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(err).toMatch(
    /^ion: no price is known for claude-opus-4-55\n {2}-> known: claude-opus-4-5, .*ion prices set claude-opus-4-55 --input <usd> --output <usd>\n$/,
  )
})

test('set and unset', async () => {
  const io = later()
  expect(await micros(io, 'gpt-4.1', '2027-02-01')).toBe(2_000_000)
  await ion(io, 'prices', 'set', 'gpt-4.1', '--input', '1.5', '--output', '6', '--from', '2027-01-01T00:00:00Z')
  await ion(io, 'prices', 'set', 'my-model', '--input', '0.4', '--output', '1.6', '--cache-write-1h', '$3')
  expect(await micros(io, 'openai/gpt-4.1', '2027-02-01')).toBe(1_500_000)
  expect(await micros(io, 'gpt-4.1', '2026-12-31')).toBe(2_000_000)
  expect(await micros(io, 'my-model', '2020-01-01')).toBe(400_000)
  const [, ...overrides] = records((await ion(io, 'prices', '--json')).out)
  expect(overrides).toEqual([
    {
      kind: 'override',
      model: 'gpt-4.1',
      from: '2027-01-01T00:00:00.000Z',
      bands: [{ tier: 'standard', above: 0, rates: { input: 1_500_000, output: 6_000_000 } }],
    },
    {
      kind: 'override',
      model: 'my-model',
      from: null,
      bands: [{ tier: 'standard', above: 0, rates: { input: 400_000, output: 1_600_000, cache_write_1h: 3_000_000 } }],
    },
  ])
  expect((await ion(io, 'prices')).out).toMatch(/your own 2 prices\n.*\n {2}gpt-4\.1 +2027-01-01 01:00 +1\.5 +6 /)
  expect(await ion(io, 'prices', 'unset', 'gpt-4.1')).toEqual({
    code: 0,
    out: 'removed your price of gpt-4.1\n',
    err: '',
  })
  expect(await micros(io, 'gpt-4.1', '2027-02-01')).toBe(2_000_000)
})

test('own prices are listed by model and date, with the days that were given, and what has no price is said', async () => {
  const io = later()
  const set = (...more: string[]) => ion(io, 'prices', 'set', ...more, '--input', '1', '--output', '2')
  expect((await set('b', '--from', '2027-02-01', '--cache-read', '0')).out).toBe(
    [
      'the price of b is set; ion prices b shows it',
      'without a price: cache writes, cache writes of an hour; to set it too, repeat the command with --cache-write, --cache-write-1h',
      '',
    ].join('\n'),
  )
  await set('b', '--from', '2027-01-01')
  await set('a', '--from', '2027-01-03T12:30:00Z')
  const { out } = await ion(io, 'prices')
  const listed = out.split('\n').flatMap((line) => /^ {2}([ab]) +(\S+)/.exec(line)?.slice(1, 3).join(' ') ?? [])
  expect(listed).toEqual(['a 2027-01-03', 'b 2027-01-01', 'b 2027-02-01'])
  expect((await ion(io, 'prices', 'update', liteLlm(io), '--from', '2027-01-15')).out).toContain(' since 2027-01-15: ')
})

test('the name of a family is not that of its first model', async () => {
  expect(await micros(later(), 'claude', '2027-02-01')).toBeUndefined()
  expect(await micros(later(), 'anthropic.claude-v1', '2027-02-01')).toBe(8_000_000)
})

test('an update counts from its day, earlier usage keeps its price, and a second one adds nothing', async () => {
  const io = later()
  const file = liteLlm(io)
  const first = await ion(io, 'prices', 'update', file)
  expect(first).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^1 price changed for usage since 2027-03-01: gpt-4\.1\n30 models are new: (\S+, ){5}\S+ and 24 more\n$/,
    ),
    err: '',
  })
  expect(await micros(io, 'gpt-4.1', '2027-02-28T23:59:59Z')).toBe(2_000_000)
  expect(await micros(io, 'gpt-4.1', '2027-03-01T00:00:00Z')).toBe(7_000_000)
  expect(await micros(io, 'gpt-test-3', '2020-01-01')).toBe(1_000_000)
  // The shipped table is still there for what the file lacks.
  expect(await micros(io, 'claude-opus-4-5', '2027-03-01')).toBe(5_000_000)
  const path = updatedTablePath(io)
  const text = readFileSync(path, 'utf8')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await ion(io, 'prices', 'update', file)).out).toBe('no price has changed\n')
  const nextDay = { ...io, now: () => new Date('2027-03-02T10:00:00Z') }
  expect((await ion(nextDay, 'prices', 'update', file)).out).toBe('no price has changed\n')
  expect(readFileSync(path, 'utf8')).toBe(text.replace('# date: 2027-03-01', '# date: 2027-03-02'))
  expect((await ion(nextDay, 'prices')).out).toMatch(
    /^source {3}LiteLLM, model_prices_and_context_window\.json, .*\ndate {5}2027-03-02 \(today\)\n/,
  )
})

test('an update with --from', async () => {
  const io = later()
  await ion(io, 'prices', 'update', liteLlm(io), '--from', '2027-01-15T00:00:00Z')
  expect(await micros(io, 'gpt-4.1', '2027-01-14')).toBe(2_000_000)
  expect(await micros(io, 'gpt-4.1', '2027-01-16')).toBe(7_000_000)
  // A date can be corrected; without one, nothing is moved.
  expect((await ion(io, 'prices', 'update', liteLlm(io))).out).toBe('no price has changed\n')
  const corrected = await ion(io, 'prices', 'update', liteLlm(io), '--from', '2027-01-10T00:00:00Z')
  expect(corrected.out).toContain('1 price changed for usage since 2027-01-10')
  expect(await micros(io, 'gpt-4.1', '2027-01-09')).toBe(2_000_000)
  expect(await micros(io, 'gpt-4.1', '2027-01-12')).toBe(7_000_000)
})

test('a file that is not a table of prices changes nothing', async () => {
  const io = later()
  const file = join(io.home, 'other.json')
  for (const text of ['{"a": 1}', 'not JSON', '[]']) {
    writeFileSync(file, text)
    const { code, err } = await ion(io, 'prices', 'update', file)
    expect(code).toBe(2)
    expect(err).toMatch(/other\.json is not LiteLLM's table of prices: .*\n {2}-> give the model_prices/)
  }
  expect(existsSync(ionHome(io)) ? readdirSync(ionHome(io)) : []).toEqual([])
})

test('a damaged update is reported, and the shipped table is used', async () => {
  const io = later()
  await ion(io, 'prices', 'update', liteLlm(io))
  writeFileSync(updatedTablePath(io), readFileSync(updatedTablePath(io), 'utf8').slice(0, -20))
  const { code, out, err } = await ion(io, 'prices')
  expect(code).toBe(0)
  expect(out).toContain('shipped with Ion')
  expect(err).toMatch(/^ignored: .*prices\.txt is damaged: run ion prices update again\n$/)
})

test.each<[argv: string[], code: number, err: RegExp]>([
  [['set'], 2, /^ion: no model is given\n {2}-> ion prices set <model>; /],
  [['set', 'x'], 2, /^ion: a price needs --input and --output\n {2}-> ion prices set x --input 3 /],
  [['set', 'x', '--input', '1'], 2, /^ion: a price needs --input and --output\n/],
  [['set', 'x', '--input', '1', '--output', '-2'], 2, /^ion: "-2" is not a price\n/],
  [['set', 'x', '--input', '1', '--output', '2', '--json'], 2, /^ion: "ion prices set" takes no --json\n/],
  [['set', 'x', '--input', '1', '--output', '2', '--from', 'soon'], 2, /^ion: "soon" is not a time\n/],
  [['set', 'x y', '--input', '1', '--output', '2'], 2, /^ion: "x y" is not the name of a model\n/],
  [['unset'], 2, /^ion: no model is given\n/],
  [['update'], 2, /^ion: no file is given\n/],
  [['update', 'nope'], 3, /^ion: file .*nope does not exist\n/],
  [['gpt-5.5', 'more'], 2, /^ion: "more" is one argument too many\n {2}-> ion prices gpt-5\.5\n/],
  [['gpt-5.5', '--input', '1'], 2, /^ion: "ion prices <model>" takes no --input\n/],
])('ion prices %j', async (argv, code, err) => {
  const io = later()
  const result = await ion(io, 'prices', ...argv)
  expect(result).toMatchObject({ code, out: '' })
  expect(result.err).toMatch(err)
  expect(existsSync(ionHome(io))).toBe(false)
})
