/** What tokens are billed as. `cache_write_1h` is a cache entry that is kept for an hour; `cache_write` one of five minutes. */
export const kinds = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const
export type Kind = (typeof kinds)[number]

/** How fast a request is served, and at which price. */
export const tiers = ['standard', 'flex', 'priority'] as const
export type Tier = (typeof tiers)[number]

/** Micro-dollars per million tokens, as integers. A kind without a known rate is missing, which is not the same as 0. */
export type Rates = { readonly [K in Kind]?: number }

/** Rates of one tier for calls whose total input is above a number of tokens; 0 for calls of any length. */
export interface Band {
  readonly tier: Tier
  readonly above: number
  readonly rates: Rates
}

/** The prices of a model from a point in time; without `from`, also those of all time before the next row. */
export interface PriceRow {
  readonly model: string
  /** A day (UTC) or a time in ISO format. */
  readonly from?: string
  /** The first one is that of standard calls of any length. */
  readonly bands: readonly Band[]
}

export function sameBands(one: readonly Band[], other: readonly Band[]): boolean {
  return bandsText(one) === bandsText(other)
}

/** `5/25/0.5/6.25/10 >200000 10/37.5/1 flex 2.5/12.5`: US dollars per million tokens in the order of `kinds`, `-` where unknown. */
export function bandsText(bands: readonly Band[]): string {
  return sorted(bands)
    .map(({ tier, above, rates }) => `${labelOf(tier, above)}${ratesText(rates)}`)
    .join(' ')
}

function labelOf(tier: Tier, above: number): string {
  const label = `${tier === 'standard' ? '' : tier}${above === 0 ? '' : `>${above}`}`
  return label === '' ? '' : `${label} `
}

function sorted(bands: readonly Band[]): Band[] {
  return [...bands].sort((a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier) || a.above - b.above)
}

function ratesText(rates: Rates): string {
  const texts = kinds.map((kind) => (rates[kind] === undefined ? '-' : dollarsText(rates[kind])))
  while (texts.at(-1) === '-') texts.pop()
  return texts.join('/')
}

/** Undefined for anything that bandsText does not write. */
export function parseBands(text: string): Band[] | undefined {
  const words = text.split(' ')
  const bands: Band[] = []
  for (let at = 0; at < words.length; ) {
    const [, tier = '', above] = /^(flex|priority)?(?:>(\d{1,9}))?$/.exec(words[at]!) ?? []
    const isLabelled = tier !== '' || above !== undefined
    if (isLabelled) at++
    else if (bands.length > 0) return undefined
    const rates = parseRates(words[at++] ?? '')
    if (!rates) return undefined
    bands.push({ tier: (tier || 'standard') as Tier, above: Number(above ?? 0), rates })
  }
  const [first] = bands
  return first?.tier === 'standard' && first.above === 0 ? bands : undefined
}

function parseRates(text: string): Rates | undefined {
  const rates: { [K in Kind]?: number } = {}
  const parts = text.split('/')
  if (parts.length > kinds.length) return undefined
  for (const [index, part] of parts.entries()) {
    if (part === '-') continue
    const rate = parseDollars(part)
    if (rate === undefined) return undefined
    rates[kinds[index]!] = rate
  }
  return rates
}

/** Dollars with up to six decimals as micro-dollars, by their digits: no floating point is involved. */
export function parseDollars(text: string): number | undefined {
  const [, whole, decimals = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole) * 1_000_000 + Number(decimals.padEnd(6, '0'))
}

/** `6.25` for 6,250,000 micro-dollars. */
export function dollarsText(micros: number): string {
  const decimals = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${Math.floor(micros / 1_000_000)}${decimals === '' ? '' : `.${decimals}`}`
}
