import { resolve } from 'node:path'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { parseSince } from '../../../platform/since.ts'
import { updatePrices } from '../../../usage/prices/load-prices.ts'
import { setPrice, unsetPrice } from '../../../usage/prices/overrides.ts'
import { type Kind, parseDollars, type Rates } from '../../../usage/prices/price-row.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { prices } from '../../definitions/machine.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { outputWidth } from '../../terminal.ts'
import { oneLine, wrap } from '../../text.ts'
import { requireFile } from '../../validate.ts'
import { listPrices, showModel, startLabel } from './show.ts'

type PricesOptions = OptionsOf<typeof prices>

export const run: Run<typeof prices> = async ([what, operand], options, context) => {
  switch (what) {
    case 'set':
      return set(required(operand, 'set', 'model'), options, context)
    case 'unset':
      return unset(required(operand, 'unset', 'model'), options, context)
    case 'update':
      return update(required(operand, 'update', 'file'), options, context)
  }
  refuseOtherOptions(what === undefined ? 'prices' : 'prices <model>', options, ['json'])
  if (what === undefined) return listPrices(options.json, context)
  if (operand === undefined) return showModel(what, options.json, context)
  throw new IonError('usage', `"${operand}" is one argument too many`, { hint: `ion prices ${what}` })
}

function required(operand: string | undefined, subcommand: string, what: string): string {
  if (operand !== undefined) return operand
  throw new IonError('usage', `no ${what} is given`, { hint: `ion prices ${subcommand} <${what}>; ion prices --help` })
}

const rateOptions = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite1h: 'cache_write_1h',
} as const satisfies Partial<Record<keyof PricesOptions, Kind>>
type RateOption = keyof typeof rateOptions

/** Those that may be left out. */
const kindOptions: Readonly<Partial<Record<Kind, string>>> = {
  cache_read: '--cache-read',
  cache_write: '--cache-write',
  cache_write_1h: '--cache-write-1h',
}

const kindNames: Readonly<Partial<Record<Kind, string>>> = {
  cache_read: 'cache reads',
  cache_write: 'cache writes',
  cache_write_1h: 'cache writes of an hour',
}

function set(model: string, options: PricesOptions, { io, out }: Context): ExitKind {
  refuseOtherOptions('prices set', options, [...Object.keys(rateOptions), 'from'])
  const rates = ratesOf(model, options)
  const from = options.from === undefined ? null : parseSince(options.from, io.now()).toISOString()
  const isNew = setPrice(io, model, rates, from)
  const name = oneLine(model)
  out.write(isNew ? `the price of ${name} is set; ion prices ${name} shows it\n` : `${name} already has this price\n`)
  const missing = Object.entries(kindOptions).filter(([kind]) => rates[kind as Kind] === undefined)
  if (missing.length > 0) {
    const [kinds, names] = [missing.map(([kind]) => kindNames[kind as Kind]), missing.map(([, option]) => option)]
    const text = `without a price: ${kinds.join(', ')}; to set it too, repeat the command with ${names.join(', ')}`
    out.write(`${wrap(text, outputWidth({ io, out })).join('\n')}\n`)
  }
  return 'ok'
}

function ratesOf(model: string, options: PricesOptions): Rates {
  if (options.input === undefined || options.output === undefined) {
    throw new IonError('usage', 'a price needs --input and --output', {
      hint: `ion prices set ${model} --input 3 --output 15, in US dollars per million tokens`,
    })
  }
  const rates: { [K in Kind]?: number } = {}
  for (const [option, kind] of Object.entries(rateOptions) as [RateOption, Kind][]) {
    const text = options[option]
    if (text === undefined) continue
    const rate = parseDollars(text.trim().replace(/^\$/, ''))
    if (rate === undefined) {
      throw new IonError('usage', `"${text}" is not a price`, {
        hint: 'US dollars per million tokens with up to six decimals, such as 3, 0.25 or 18.75',
      })
    }
    rates[kind] = rate
  }
  return rates
}

function unset(model: string, options: PricesOptions, { io, out }: Context): ExitKind {
  refuseOtherOptions('prices unset', options, [])
  const wasSet = unsetPrice(io, model)
  out.write(`${wasSet ? 'removed your price of' : 'you have not set a price for'} ${oneLine(model)}\n`)
  return 'ok'
}

async function update(file: string, options: PricesOptions, { io, out }: Context): Promise<ExitKind> {
  refuseOtherOptions('prices update', options, ['from'])
  const path = resolve(io.cwd, file)
  requireFile(path)
  // Days of a table are in UTC, so that it is the same on every machine.
  const since = options.from === undefined ? undefined : parseSince(options.from, io.now()).toISOString()
  const { changed, added } = await updatePrices(io, path, since)
  const from = startLabel(since ?? io.now().toISOString().slice(0, 10))
  if (changed.length + added.length === 0) out.write('no price has changed\n')
  if (changed.length > 0)
    out.write(`${pluralize(changed.length, 'price')} changed for usage since ${from}: ${namesOf(changed)}\n`)
  if (added.length > 0) out.write(`${pluralize(added.length, 'model is', 'models are')} new: ${namesOf(added)}\n`)
  return 'ok'
}

const MAX_NAMES = 6

function namesOf(models: readonly string[]): string {
  const more = models.length > MAX_NAMES ? ` and ${models.length - MAX_NAMES} more` : ''
  return `${models.slice(0, MAX_NAMES).map(oneLine).join(', ')}${more}`
}
