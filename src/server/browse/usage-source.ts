import { explainUsage, usage } from '../../library/usage.ts'
import type { Io } from '../../platform/io.ts'
import type { ExplainedCall } from '../../usage/explain.ts'
import type { CountedCall } from './contract.ts'
import type { UsageSource } from './usage-query.ts'

/** A session has thousands of calls; a page shows the last ones. */
const MAX_CALLS = 500

const reasons = {
  repeated: 'repeats a call that was counted',
  sum: 'the sum of calls that were counted',
  not_a_call: 'no model was asked',
} as const

/** Usage of this home, from the index. */
export function usageSource(io: Io): UsageSource {
  return {
    usage: (query) => usage({ ...query, io }),
    async sessionUsage(session) {
      const { calls, uncounted } = await explainUsage(session, { io })
      const all: CountedCall[] = [
        ...calls.map(countedCall),
        ...uncounted.map(({ record, time, tokens, reason }) => ({
          ...{ event: record, time, model: null, tokens, cost: null, why_not: reasons[reason] },
        })),
      ]
      const sorted = all.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1))
      return { calls: sorted.slice(-MAX_CALLS), more: Math.max(0, sorted.length - MAX_CALLS) }
    },
  }
}

function countedCall({ event, time, model, tokens, cost, counted_in }: ExplainedCall): CountedCall {
  const why_not = counted_in === null ? null : `counted in session ${counted_in}`
  return { event, time, model, tokens, cost: cost?.micros ?? null, why_not }
}
