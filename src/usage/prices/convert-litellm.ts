import { IonError } from '../../platform/error.ts'
import { makerOf, modelName } from './model-name.ts'
import { type Band, bandsText, type Kind, type PriceRow, type Rates, type Tier, tiers } from './price-row.ts'

/** LiteLLM's providers whose models Ion has prices of, and which of their models; null for all of them. */
const wanted: Readonly<Record<string, RegExp | null>> = {
  anthropic: null,
  openai: null,
  gemini: null,
  'vertex_ai-language-models': null,
  vertex_ai: /^vertex_ai\/gem/,
  'vertex_ai-anthropic_models': null,
  xai: null,
  github_copilot: null,
  azure: /^azure\/(?!(command|global-standard|global)\b)/,
  groq: null,
  cerebras: null,
  mistral: null,
  deepseek: null,
  moonshot: null,
  dashscope: null,
  zai: null,
  minimax: null,
  amazon_nova: null,
  bedrock: /^([a-z-]+\.)?(anthropic\.claude|amazon\.nova)/,
  bedrock_converse: /^([a-z-]+\.)?(anthropic\.claude|amazon\.nova)/,
}

/** Models that no coding agent uses, and prices that are not those of tokens of text. */
const OTHER_USES = /^ft:|audio|-tts|lyria|robotics|omni|voxtral|search-(preview|api)|container|\*/

const fields: Readonly<Record<string, Kind>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
}
const FIELD = new RegExp(`^(${Object.keys(fields).join('|')})(?:_above_(\\d+)k_tokens)?(?:_(${tiers.join('|')}))?$`)

export interface Converted {
  readonly rows: readonly PriceRow[]
  /** Rates with more digits than a millionth of a dollar per million tokens. */
  readonly rounded: readonly string[]
}

/** Fewer, and it is most likely not the file it should be. */
const FEWEST = 20

/** The prices in the text of LiteLLM's model_prices_and_context_window.json. Throws `usage` if it is anything else. */
export function convertLiteLlm(text: string, file: string): Converted {
  const entries = Object.entries(parsed(text, file))
  const rounded: string[] = []
  const byIdentity = new Map<string, PriceRow>()
  for (const [model, entry] of entries) {
    const bands = isWanted(model, entry) ? bandsOf(entry, (field) => rounded.push(`${model} ${field}`)) : undefined
    if (!bands) continue
    const { route, body, date } = modelName(model)
    const host = route[0] ?? makerOf({ route, body, date }) ?? ''
    const identity = `${host} ${body} ${date ?? ''}`
    const known = byIdentity.get(identity)
    // LiteLLM has some models under two names, such as gemini/gemini-2.5-pro and gemini-2.5-pro, which is Vertex's.
    if (!known || isPreferred(model, known.model)) byIdentity.set(identity, { model, bands })
  }
  const rows = [...byIdentity.values()]
  if (rows.length < FEWEST) throw notLiteLlm(file, `it has prices of ${rows.length} known models only`)
  return { rows, rounded }
}

function isPreferred(model: string, known: string): boolean {
  if (model.includes('/') !== known.includes('/')) return model.includes('/')
  return model.length < known.length
}

type Entry = Readonly<Record<string, unknown>>

function parsed(text: string, file: string): Record<string, Entry> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notLiteLlm(file, 'it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notLiteLlm(file, 'it is not an object')
  return Object.fromEntries(Object.entries(value).map(([model, entry]) => [model, Object(entry) as Entry]))
}

function notLiteLlm(file: string, why: string): IonError {
  return new IonError('usage', `${file} is not LiteLLM's table of prices: ${why}`, {
    hint: 'give the model_prices_and_context_window.json of the LiteLLM repository or Python package; nothing was changed',
  })
}

function isWanted(model: string, { litellm_provider: provider, mode }: Entry): boolean {
  if (typeof provider !== 'string' || !Object.hasOwn(wanted, provider)) return false
  if ((mode !== 'chat' && mode !== 'responses') || OTHER_USES.test(model) || /\s/.test(model)) return false
  return wanted[provider]?.test(model) ?? true
}

/** Undefined if the price of input or output is not known. */
function bandsOf(entry: Entry, onRounded: (field: string) => void): Band[] | undefined {
  const bands = new Map<string, { tier: Tier; above: number; rates: { [K in Kind]?: number } }>()
  const add = (tier: Tier, above: number, kind: Kind, field: string, value: unknown): void => {
    const rate = rateOf(value, () => onRounded(field))
    if (rate === undefined) return
    const key = `${tier} ${above}`
    const band = bands.get(key) ?? { tier, above, rates: {} }
    band.rates[kind] = rate
    bands.set(key, band)
  }
  for (const [field, value] of Object.entries(entry)) {
    const [, name, thousands = '0', tier = 'standard'] = FIELD.exec(field) ?? []
    if (name !== undefined) add(tier as Tier, Number(thousands) * 1000, fields[name]!, field, value)
  }
  for (const step of stepsOf(entry)) {
    for (const [name, kind] of Object.entries(fields)) add('standard', step.above, kind, name, step.entry[name])
  }
  if (!isComplete(bands.get('standard 0')?.rates) || hasOtherReasoningRate(entry)) return undefined
  // A band may lack rates: then these kinds are unpriced there, not charged as in a shorter call.
  return [...bands.values()]
}

function isComplete(rates: Rates | undefined): boolean {
  return rates?.input !== undefined && rates.output !== undefined
}

/** Alibaba's way to write bands: `range` is from and to how many tokens of input. */
function stepsOf({ tiered_pricing: steps }: Entry): { readonly above: number; readonly entry: Entry }[] {
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step: unknown) => {
    const entry = Object(step) as Entry
    const [above] = Array.isArray(entry.range) ? (entry.range as unknown[]) : []
    return Number.isSafeInteger(above) ? [{ above: above as number, entry }] : []
  })
}

/** Whether output costs more when the model thinks. Agents do not report which mode a call was in. */
function hasOtherReasoningRate(entry: Entry): boolean {
  return [entry, ...stepsOf(entry).map((step) => step.entry)].some(
    ({ output_cost_per_reasoning_token: reasoning, output_cost_per_token: output }) =>
      typeof reasoning === 'number' && reasoning !== output,
  )
}

const MOST_PER_TOKEN = 1

/** Dollars per token as micro-dollars per million tokens. */
function rateOf(value: unknown, onRounded: () => void): number | undefined {
  if (typeof value !== 'number' || !(value >= 0) || value > MOST_PER_TOKEN) return undefined
  const exact = value * 1e12
  const rate = Math.round(exact)
  // The product differs from the decimal that was written by a few units in the last of 16 digits.
  if (Math.abs(exact - rate) > Math.max(1, exact) * 1e-12) onRounded()
  return rate
}

export interface ChangedPrices {
  /** Models with another price than before. */
  readonly changed: readonly string[]
  /** Models that had none before. */
  readonly added: readonly string[]
}

/** For the report of what changed. */
export function changedModels(before: readonly PriceRow[], after: readonly PriceRow[]): ChangedPrices {
  const text = ({ model, from, bands }: PriceRow): string => `${model} ${from ?? ''} ${bandsText(bands)}`
  const [known, models] = [new Set(before.map(text)), new Set(before.map(({ model }) => model))]
  const others = [...new Set(after.filter((row) => !known.has(text(row))).map(({ model }) => model))]
  return {
    changed: others.filter((model) => models.has(model)),
    added: others.filter((model) => !models.has(model)),
  }
}
