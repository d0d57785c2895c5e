import { readFileSync, writeFileSync } from 'node:fs'
import { calcPrice } from '@pydantic/genai-prices'
import { expect, test } from 'vitest'
import { type CallUsage, costOf } from './cost.ts'
import { packagedTable } from './load-prices.ts'
import { makerOf, modelName } from './model-name.ts'
import { type PriceBook, priceBook } from './price-book.ts'

/** What that package calls the providers of our table. */
const providers: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  vertex_ai: 'google',
  xai: 'x-ai',
  mistral: 'mistral',
  deepseek: 'deepseek',
  moonshot: 'moonshotai',
  bedrock: 'aws',
  'bedrock-us': 'aws',
  'bedrock-eu': 'aws',
  azure: 'azure',
  groq: 'groq',
  cerebras: 'cerebras',
}

/** Each shows one rate, or one rule. */
const calls: Readonly<Record<string, CallUsage>> = {
  input: { input: 10_000, output: 0, cache_read: 0, cache_write: 0 },
  output: { input: 0, output: 10_000, cache_read: 0, cache_write: 0 },
  'cache read': { input: 0, output: 0, cache_read: 10_000, cache_write: 0 },
  'cache write': { input: 0, output: 0, cache_read: 0, cache_write: 10_000 },
  'long input': { input: 300_000, output: 10_000, cache_read: 0, cache_write: 0 },
  'long cached': { input: 10_000, output: 10_000, cache_read: 290_000, cache_write: 0 },
}

const file = new URL('./genai-differences.txt', import.meta.url)

/**
 * The table of another project, made from the providers' pages by other people: where the two differ, one of them is wrong or
 * late. The file has one line per model. UPDATE=1 writes it; look at what changed before you commit it.
 */
test('costs are those of genai-prices, except for the differences that are listed', async () => {
  const table = await packagedTable()
  const at = new Date(table.date)
  const { models, costs, differences } = compare(priceBook(table, []), at)
  const head = [
    `# Costs in micro-dollars with ${table.source} / with genai-prices, where they differ.`,
    `# ${models} models and ${costs} costs were compared; ${differences.length} models differ.`,
  ]
  const text = `${[...head, ...differences].join('\n')}\n`
  if (process.env.UPDATE) writeFileSync(file, text)
  expect(models).toBeGreaterThan(250)
  expect(text).toBe(readFileSync(file, 'utf8'))
})

test('a changed rate is a difference', async () => {
  const table = await packagedTable()
  const at = new Date(table.date)
  const rows = table.rows.map((row) =>
    row.model === 'claude-opus-4-5'
      ? { ...row, bands: row.bands.map((band) => ({ ...band, rates: { ...band.rates, output: 24_000_000 } })) }
      : row,
  )
  const before = compare(priceBook(table, []), at).differences
  const after = compare(priceBook({ ...table, rows }, []), at).differences
  expect(after.filter((line) => !before.includes(line))).toEqual([
    'claude-opus-4-5: output 240000/250000, long input 1740000/1750000, long cached 435000/445000',
  ])
})

interface Comparison {
  readonly models: number
  readonly costs: number
  /** One per model. */
  readonly differences: readonly string[]
}

function compare(book: PriceBook, at: Date): Comparison {
  const differences: string[] = []
  let [models, costs] = [0, 0]
  for (const { model } of book.table.rows) {
    const name = modelName(model)
    const providerId = providers[name.route[0] ?? makerOf(name) ?? '']
    if (providerId === undefined) continue
    const different: string[] = []
    let compared = 0
    for (const [what, usage] of Object.entries(calls)) {
      const ours = costOf(book, usage, model, { at })
      const theirs = theirCost(model.slice(model.indexOf('/') + 1), providerId, usage, at)
      if (!ours || ours.unpriced.length > 0 || !theirs) continue
      compared++
      if (ours.micros !== theirs) different.push(`${what} ${ours.micros}/${theirs}`)
    }
    costs += compared
    if (compared > 0) models++
    if (different.length > 0) differences.push(`${model}: ${different.join(', ')}`)
  }
  return { models, costs, differences }
}

/** Its input is the total one. It takes what has no price of its own, such as a cache, at the price of input: no comparison. */
function theirCost(
  model: string,
  providerId: string,
  { input, output, cache_read, cache_write }: CallUsage,
  timestamp: Date,
): number | undefined {
  const usage = {
    input_tokens: input + cache_read + cache_write,
    output_tokens: output,
    cache_read_tokens: cache_read,
    cache_write_tokens: cache_write,
  }
  const result = calcPrice(usage, model, { providerId, timestamp })
  // It also prices a model that it does not know like one whose name begins alike.
  const isSame = result && modelName(result.model.id.replace('regional.', '')).body === modelName(model).body
  if (!isSame) return undefined
  const { cache_read_mtok, cache_write_mtok } = result.model_price
  if ((cache_read > 0 && cache_read_mtok === undefined) || (cache_write > 0 && cache_write_mtok === undefined))
    return undefined
  return Math.round(result.total_price * 1e6)
}
