import { asObject, asString } from '../../native/narrow.ts'
import { type Quota, windowLabel } from '../quota.ts'
import type { Statusline } from '../statusline.ts'

/** The JSON that Claude Code writes to its statusline command; undefined for anything else. */
export function statusline(input: Readonly<Record<string, unknown>>): Statusline | undefined {
  const nativeId = asString(input.session_id)
  const model = asObject(input.model)
  if (nativeId === undefined || !model || asString(input.transcript_path) === undefined) return undefined
  const dollars = asObject(input.cost)?.total_cost_usd
  return {
    nativeId,
    model: asString(model.display_name) ?? asString(model.id) ?? null,
    cost: typeof dollars === 'number' && dollars >= 0 ? Math.round(dollars * 1_000_000) : null,
    quotas: quotasOf(asObject(input.rate_limits) ?? {}),
  }
}

/** The lengths are in the names. */
const windows: Readonly<Record<string, number>> = { five_hour: 5 * 60, seven_day: 7 * 24 * 60 }

function quotasOf(limits: Readonly<Record<string, unknown>>): Omit<Quota, 'agent' | 'seen_at'>[] {
  return Object.entries(limits).flatMap(([name, value]) => {
    const minutes = windows[name]
    const limit = asObject(value)
    const used = limit?.used_percentage
    if (minutes === undefined || typeof used !== 'number') return []
    return [{ label: windowLabel(minutes), used_percent: used, resets_at: resetTime(limit?.resets_at) }]
  })
}

/** Seconds since 1970, or a text. */
function resetTime(value: unknown): string | null {
  const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) || Math.abs(time) > 8.64e15 ? null : new Date(time).toISOString()
}
