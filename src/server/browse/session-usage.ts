import { addTokens, noTokens } from '../../events/session.ts'
import { explainUsage } from '../../library/usage.ts'
import type { Io } from '../../platform/io.ts'
import { type ExplainedCall, uncountedReasons } from '../../usage/explain.ts'
import type { CountedCall, SessionUsage } from './contract.ts'
import type { JobSession } from './worker-jobs.ts'

/** A session has thousands of calls; a page shows the last ones. */
const MAX_CALLS = 500

/** The calls of a session and what was not counted, in the order of time. Reads all of it. */
export async function sessionUsage(session: JobSession, io: Io): Promise<SessionUsage> {
  const { calls, uncounted } = await explainUsage(session, { io })
  const all: CountedCall[] = [
    ...calls.map(countedCall),
    ...uncounted.map(({ record, time, tokens, reason }) => ({
      ...{ event: record, time, model: null, tokens, cost: null, why_not: uncountedReasons[reason] },
    })),
  ]
  const sorted = all.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1))
  const total = totalOf(all.filter(({ why_not }) => why_not === null))
  return { calls: sorted.slice(-MAX_CALLS), more: Math.max(0, sorted.length - MAX_CALLS), total }
}

function totalOf(counted: readonly CountedCall[]): SessionUsage['total'] {
  const costs = counted.flatMap(({ cost }) => cost ?? [])
  return {
    calls: counted.length,
    tokens: counted.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens),
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpriced: counted.length - costs.length,
  }
}

function countedCall({ event, time, model, tokens, cost, counted_in }: ExplainedCall): CountedCall {
  const why_not = counted_in === null ? null : `counted in session ${counted_in}`
  return { event, time, model, tokens, cost: cost?.micros ?? null, why_not }
}
