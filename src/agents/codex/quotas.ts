import { linesBackward, windowText } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { stampOf } from '../../native/walk.ts'
import { readTail } from '../../native/window.ts'
import { attempt } from '../../platform/error.ts'
import { type Quota, windowLabel } from '../quota.ts'
import { type CodexRecord, payloadOf } from './records.ts'
import { isCompressed, rolloutPaths } from './rollout-file.ts'

/** Each answer brings the limits, so the end of a few files has them. */
const FILES = 5
const TAIL = 64 * 1024
const LIMITS = '"rate_limits":{'

/** The limits of the account as Codex stored them last: each `token_count` has them. */
export function* quotas(reading: ReadContext): Generator<Quota> {
  const latest = new Map<string, Quota>()
  for (const path of newestRollouts(reading)) {
    for (const quota of attempt(() => lastLimits(path, reading)) ?? []) {
      const known = latest.get(quota.label)
      if (!known || known.seen_at < quota.seen_at) latest.set(quota.label, quota)
    }
  }
  yield* latest.values()
}

function newestRollouts(reading: ReadContext): string[] {
  const files: { readonly path: string; readonly mtimeMs: number }[] = []
  for (const path of rolloutPaths(reading)) {
    const stamp = typeof path === 'string' && !isCompressed(path) ? stampOf(path) : undefined
    if (stamp) files.push(stamp)
  }
  return files
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(0, FILES)
    .map(({ path }) => path)
}

function lastLimits(path: string, reading: ReadContext): Quota[] {
  const text = windowText(readTail(path, TAIL, reading))
  for (const record of linesBackward(text, (line) => line.includes(LIMITS)) as Iterable<CodexRecord>) {
    const found = limitsOf(record)
    if (found.length > 0) return found
  }
  return []
}

function limitsOf(record: CodexRecord): Quota[] {
  const payload = payloadOf(record)
  const limits = payload.type === 'token_count' ? asObject(payload.rate_limits) : undefined
  const seen_at = toIso(record.timestamp)
  if (!limits || !seen_at) return []
  const name = asString(limits.limit_name)
  return [limits.primary, limits.secondary].flatMap((window) => quotaOf(asObject(window) ?? {}, name, seen_at))
}

/** A window without a length has no name: it is left out. */
function quotaOf(window: CodexRecord, name: string | undefined, seen_at: string): Quota[] {
  const { window_minutes, used_percent } = window
  if (typeof window_minutes !== 'number' || !(window_minutes > 0) || typeof used_percent !== 'number') return []
  const label = windowLabel(window_minutes)
  return [
    {
      agent: 'codex',
      label: name ? `${label}, ${name}` : label,
      used_percent,
      resets_at: resetOf(window, seen_at),
      seen_at,
    },
  ]
}

/** In seconds: since 1970, or in older versions from when it was stored. */
function resetOf({ resets_at, resets_in_seconds }: CodexRecord, seen_at: string): string | null {
  if (typeof resets_at === 'number') return toIso(resets_at * 1000) ?? null
  if (typeof resets_in_seconds === 'number') return toIso(Date.parse(seen_at) + resets_in_seconds * 1000) ?? null
  return null
}
