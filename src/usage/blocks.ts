import type { CallGroup } from '../catalog/calls/call-groups.ts'
import type { Block, UsageSums } from './report.ts'
import { tokenCount } from './sums.ts'

const HOUR_MS = 3_600_000
const BLOCK_MS = 5 * HOUR_MS

/** The calls of one block: of one agent, since each vendor has limits of its own. */
export interface BlockGroups {
  readonly agent: string
  readonly start: number
  readonly groups: readonly CallGroup[]
}

/**
 * Windows of five hours. One begins with the hour (UTC) of the first call after the window before it has ended, or after five hours
 * without a call.
 */
export function blocksOf(groups: readonly CallGroup[]): BlockGroups[] {
  const byAgent = new Map<string, CallGroup[]>()
  for (const group of [...groups].sort((a, b) => a.first - b.first)) {
    const known = byAgent.get(group.agent)
    if (known) known.push(group)
    else byAgent.set(group.agent, [group])
  }
  const blocks: (BlockGroups & { readonly groups: CallGroup[]; last: number })[] = []
  for (const [agent, ofAgent] of byAgent) {
    let current: (typeof blocks)[number] | undefined
    for (const group of ofAgent) {
      if (!current || group.first >= current.start + BLOCK_MS || group.first - current.last > BLOCK_MS) {
        current = { agent, start: Math.floor(group.first / HOUR_MS) * HOUR_MS, groups: [], last: group.last }
        blocks.push(current)
      }
      current.groups.push(group)
      current.last = Math.max(current.last, group.last)
    }
  }
  return blocks.sort((a, b) => a.start - b.start || (a.agent < b.agent ? -1 : 1))
}

export function blockOf({ start, groups }: BlockGroups, sums: UsageSums, now: Date): Block {
  const ends = start + BLOCK_MS
  const last = Math.max(...groups.map((group) => group.last))
  const first = Math.min(...groups.map((group) => group.first))
  const is_active = now.getTime() >= start && now.getTime() < ends && now.getTime() - last < BLOCK_MS
  // As fast as since its first call; a minute at least, or the first call would promise a fortune.
  const spent = Math.max(60_000, now.getTime() - first)
  const projected = (value: number): number => Math.round(value + (value / spent) * (ends - now.getTime()))
  return {
    ends: new Date(ends).toISOString(),
    is_active,
    projected_tokens: is_active ? projected(tokenCount(sums)) : null,
    projected_cost: is_active && sums.cost !== null ? projected(sums.cost) : null,
  }
}
