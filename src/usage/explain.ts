import type { Calls } from '../catalog/calls/calls.ts'
import { type Located, readSession } from '../catalog/read-session.ts'
import type { TokenUsage } from '../events/event.ts'
import { isProblem } from '../events/item.ts'
import { callIdentity, isCounted } from '../events/model-call.ts'
import { addTokens } from '../events/session.ts'
import { readContext, type UncountedUsage } from '../native/read-context.ts'
import { toIso } from '../native/time.ts'
import { hash53 } from '../platform/hash.ts'
import type { Io } from '../platform/io.ts'
import { type Cost, costOf } from './prices/cost.ts'
import type { PriceBook } from './prices/price-book.ts'
import type { Tier } from './prices/price-row.ts'
import type { CountedTokens } from './report.ts'

/** A model call of a session: what it used, what it cost and why, and where it counts. */
export interface ExplainedCall {
  /** The event that reports it, for `ion show <session>#<event>`. */
  readonly event: string
  readonly time: string
  readonly model: string | null
  readonly tokens: TokenUsage
  readonly tier: Tier
  /** Undefined if nothing of it has a known price. */
  readonly cost: Cost | undefined
  readonly cost_given: number | null
  readonly is_sum: boolean
  /** The session that counts it, if that is another one. */
  readonly counted_in: string | null
}

/** A record with tokens that are no call of their own. */
export interface ExplainedRecord {
  readonly record: string
  readonly time: string | null
  readonly tokens: TokenUsage
  /** `empty`: it says that nothing was used. */
  readonly reason: UncountedUsage['reason'] | 'empty'
}

/** Why a record is not counted, for people. */
export const uncountedReasons: Readonly<Record<ExplainedRecord['reason'], string>> = {
  repeated: 'repeats a call that was counted',
  sum: 'the sum of calls that were counted',
  not_a_call: 'no model was asked',
  empty: 'no tokens were used',
}

export interface Explanation {
  readonly calls: readonly ExplainedCall[]
  readonly uncounted: readonly ExplainedRecord[]
}

/** Reads a session, and says of each record with tokens whether it counts, and why. */
export function explainSession(located: Located, countedIn: Calls['countedIn'], book: PriceBook, io: Io): Explanation {
  const calls = new Map<string, Part>()
  const uncounted: ExplainedRecord[] = []
  const onUncounted = ({ key, time, usage, reason }: UncountedUsage): void =>
    void uncounted.push({ record: key, time: toIso(time) ?? null, tokens: usage, reason })
  const { agent, id } = located.head
  for (const item of readSession(located, io, { ...readContext(io), onUncounted })) {
    if (isProblem(item) || !item.event.token_usage) continue
    const { event } = item
    if (!isCounted(event)) {
      uncounted.push({ record: event.id, time: event.timestamp, tokens: event.token_usage!, reason: 'empty' })
      continue
    }
    const identity = callIdentity(agent, id, event)
    const before = calls.get(identity)
    const { token_usage, call = {} } = event
    if (before) {
      before.tokens = addTokens(before.tokens, token_usage!)
      before.cost_given = call.cost === undefined ? before.cost_given : (before.cost_given ?? 0) + call.cost
    } else {
      calls.set(identity, {
        event: event.id,
        time: event.timestamp,
        model: event.model ?? null,
        tokens: token_usage!,
        tier: call.tier ?? 'standard',
        cost_given: call.cost ?? null,
        is_sum: call.is_sum === true,
      })
    }
  }
  return {
    calls: [...calls].map(([identity, call]) => {
      const counted = countedIn(hash53(identity))
      const options = { at: new Date(call.time), isSum: call.is_sum, tier: call.tier }
      return {
        ...call,
        cost: call.model === null ? undefined : costOf(book, priceable(call.tokens), call.model, options),
        counted_in: counted === undefined || counted === id ? null : counted,
      }
    }),
    uncounted,
  }
}

type Part = { -readonly [K in Exclude<keyof ExplainedCall, 'cost' | 'counted_in'>]: ExplainedCall[K] }

function priceable({ cache_write_1h = 0, ...tokens }: TokenUsage): CountedTokens {
  return { ...tokens, cache_write_1h }
}
