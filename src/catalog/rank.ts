import { type Role, roles } from '../agents/passage.ts'
import type { Group } from './search.ts'

/** What a place is worth: what people wrote and named says more about a session than what a tool printed. */
const worth: Readonly<Record<Role, number>> = { title: 12, user: 6, summary: 4, assistant: 3, thinking: 1, tool: 1 }

/** Each further place in a session counts for less, so that one long log does not bury the session that is about it. */
export function bestFirst(groups: readonly Group[]): Group[] {
  return groups
    .map((group) => ({ group, score: scoreOf(group) }))
    .sort((a, b) => b.score - a.score || b.group.matches[0]!.id - a.group.matches[0]!.id)
    .map(({ group }) => group)
}

function scoreOf({ matches }: Group): number {
  const counts = new Map<number, number>()
  for (const { role } of matches) counts.set(role, (counts.get(role) ?? 0) + 1)
  let score = 0
  for (const [role, count] of counts) score += worth[roles[role]!] * (1 + Math.log(count))
  return score
}
