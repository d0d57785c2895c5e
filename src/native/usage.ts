import type { TokenUsage } from '../events/event.ts'
import { noTokens } from '../events/session.ts'
import type { ReadContext, UncountedUsage } from './read-context.ts'

/** Reports token counts that are left out. A record that has only zeros says nothing. */
export type NoteUncounted = (usage: TokenUsage, reason: UncountedUsage['reason']) => void

export function uncountedIn(reading: ReadContext, key: string, time: unknown): NoteUncounted {
  return (usage, reason) => {
    if (!isZero(usage)) reading.onUncounted?.({ key, time, usage, reason })
  }
}

const kinds = [...(Object.keys(noTokens) as (keyof TokenUsage)[]), 'cache_write_1h'] as const

export function isZero(usage: TokenUsage): boolean {
  return kinds.every((kind) => !usage[kind])
}

/** What `now` has more than `before`, kind by kind. */
export function moreThan(now: TokenUsage, before: TokenUsage): TokenUsage {
  const more = (kind: keyof TokenUsage): number => Math.max(0, (now[kind] ?? 0) - (before[kind] ?? 0))
  const forAnHour = more('cache_write_1h')
  return {
    input: more('input'),
    output: more('output'),
    cache_read: more('cache_read'),
    cache_write: more('cache_write'),
    ...(forAnHour > 0 ? { cache_write_1h: forAnHour } : {}),
    reasoning: more('reasoning'),
  }
}

/** An amount of dollars that an agent stored. Undefined for 0 too, which agents write where they know no price. */
export function microDollars(dollars: unknown): number | undefined {
  if (typeof dollars !== 'number' || !(dollars > 0)) return undefined
  const amount = Math.round(dollars * 1e6)
  return Number.isSafeInteger(amount) ? amount : undefined
}
