import type { Located } from '../../../catalog/read-session.ts'
import type { Place } from '../../../handover/collect.ts'
import type { HandoverOptions, HandoverRequest } from '../../../handover/hand-over.ts'
import { handoverRequest } from '../../../handover/request.ts'
import { IonError } from '../../../platform/error.ts'
import type { Context } from '../../command.ts'
import { withSession } from '../../with-session.ts'

/** The options as they are typed; those that are left out have their defaults. */
export interface TypedOptions {
  readonly as?: HandoverOptions['as'] | undefined
  readonly tools?: HandoverOptions['tools'] | undefined
  readonly thinking?: HandoverOptions['thinking'] | undefined
  readonly budget?: string | undefined
  readonly since?: string | undefined
  readonly at?: string | undefined
  readonly again: boolean
  readonly incomplete: boolean
  readonly experimental?: boolean
  readonly here: boolean
}

export function locate(reference: string, context: Context): Promise<Located> {
  return withSession(context, [reference], { remote: false }, ({ row, catalog }) => catalog.locate(row))
}

/** `into`: the agent that continues; the session's own if undefined. */
export async function requestOf(
  source: Located,
  into: string | undefined,
  options: TypedOptions,
  { io }: Context,
): Promise<HandoverRequest> {
  const parsed: HandoverOptions = {
    as: options.as ?? 'auto',
    tools: options.tools ?? 'keep',
    thinking: options.thinking ?? 'drop',
    budget: options.budget === undefined ? undefined : tokensOf(options.budget),
    extent: {
      ...(options.since === undefined ? {} : { since: placeOf(options.since, '--since') }),
      ...(options.at === undefined ? {} : { until: placeOf(options.at, '--at') }),
    },
    again: options.again,
    incomplete: options.incomplete,
    experimental: options.experimental ?? false,
  }
  return handoverRequest(source, into, parsed, options.here, io)
}

function tokensOf(text: string): number {
  const [, digits, thousand] = /^(\d+)(k)?$/i.exec(text.replaceAll(/[_,]/g, '')) ?? []
  const tokens = Number(digits) * (thousand ? 1000 : 1)
  if (tokens >= 500) return tokens
  throw new IonError('usage', `--budget takes a number of tokens, 500 or more, not "${text}"`, {
    hint: '--budget 60000',
  })
}

/** A small number is a turn; anything else the id of an event, with or without that of its session before it. */
function placeOf(text: string, option: string): Place {
  if (/^\d{1,6}$/.test(text)) {
    if (Number(text) > 0) return { turn: Number(text) }
    throw new IonError('usage', `${option} ${text}: turns are numbered from 1`, { hint: 'ion show <id> numbers them' })
  }
  const event = text.slice(text.lastIndexOf('#') + 1)
  if (event !== '') return { event }
  throw new IonError('usage', `${option} takes an event or the number of a turn`, {
    hint: 'ion show <id> numbers them',
  })
}
