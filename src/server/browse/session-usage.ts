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
  return { calls: sorted.slice(-MAX_CALLS), more: Math.max(0, sorted.length - MAX_CALLS) }
}

function countedCall({ event, time, model, tokens, cost, counted_in }: ExplainedCall): CountedCall {
  const why_not = counted_in === null ? null : `counted in session ${counted_in}`
  return { event, time, model, tokens, cost: cost?.micros ?? null, why_not }
}
