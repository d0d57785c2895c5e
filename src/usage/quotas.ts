import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../agents/_registry.ts'
import type { Quota } from '../agents/quota.ts'
import { readContext } from '../native/read-context.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** Limits that came with a statusline. The latest of each: what was before is of no use. */
function quotasPath(io: Io): string {
  return join(ionHome(io), 'quotas.json')
}

/** Keeps the limits that an agent passed to its statusline hook, which stores them nowhere else. */
export function keepQuotas(io: Io, agent: string, seen: readonly Omit<Quota, 'agent' | 'seen_at'>[]): void {
  if (seen.length === 0) return
  const seen_at = io.now().toISOString()
  const others = readKept(io).filter((quota) => quota.agent !== agent)
  replaceFile(
    quotasPath(io),
    `${JSON.stringify([...others, ...seen.map((quota) => ({ agent, ...quota, seen_at }))], null, 1)}\n`,
  )
}

function readKept(io: Io): Quota[] {
  const parsed = attempt(() => JSON.parse(readFileSync(quotasPath(io), 'utf8')) as unknown)
  return Array.isArray(parsed) ? parsed.filter(isQuota) : []
}

function isQuota(value: unknown): value is Quota {
  const { agent, label, used_percent, seen_at } = (value ?? {}) as Partial<Quota>
  return (
    typeof agent === 'string' &&
    typeof label === 'string' &&
    typeof used_percent === 'number' &&
    typeof seen_at === 'string'
  )
}

/** The limits that agents have stored on this machine, of each the latest, without those of windows that have ended. */
export function quotas(io: Io): Quota[] {
  const reading = readContext(io)
  const latest = new Map<string, Quota>()
  for (const quota of [...readKept(io), ...agents.flatMap((agent) => [...(agent.quotas?.(reading) ?? [])])]) {
    // Of an agent that a newer Ion knows.
    if (!agents.some(({ id }) => id === quota.agent)) continue
    const key = `${quota.agent} ${quota.label}`
    const known = latest.get(key)
    if (!known || known.seen_at < quota.seen_at) latest.set(key, quota)
  }
  const now = io.now().toISOString()
  return [...latest.values()].filter(({ resets_at }) => resets_at === null || resets_at > now)
}
