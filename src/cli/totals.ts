import type { EventCount } from '../catalog/archived-history.ts'
import type { FurtherSessions, SessionTotals } from '../catalog/catalog.ts'
import type { SessionFilter } from '../catalog/session-row.ts'
import { formatCount, pluralize } from '../platform/format-count.ts'

/** What a number of sessions leaves out, or nothing: ` (+ 3 of sub-agents, 1 archived in its agent)`. */
export function furtherSessions({ sub_agents, hidden }: FurtherSessions): string {
  const parts = [
    ...(sub_agents > 0 ? [`${formatCount(sub_agents)} of sub-agents`] : []),
    ...(hidden > 0 ? [`${formatCount(hidden)} archived in ${hidden === 1 ? 'its agent' : 'their agents'}`] : []),
  ]
  return parts.length === 0 ? '' : ` (+ ${parts.join(', ')})`
}

/** The same for a list that contains some of them on request. */
export function furtherListed(totals: FurtherSessions, { subAgents = false, hidden = false }: SessionFilter): string {
  return furtherSessions({ sub_agents: subAgents ? 0 : totals.sub_agents, hidden: hidden ? 0 : totals.hidden })
}

/** `12 sessions (+ 3 of sub-agents)`: the first number is that of `ion sessions --all`, wherever sessions are counted. */
export function countedSessions(totals: Pick<SessionTotals, 'sessions' | 'sub_agents' | 'hidden'>): string {
  return pluralize(totals.sessions, 'session') + furtherSessions(totals)
}

/** `is only in Ion's archive (ion restore)`, for that many sessions, of which some can be restored, and the others only read. */
export function onlyInArchive(count: number, restorable: number): string {
  const [restore, read] = ['ion restore', 'ion show, ion export']
  const where = `${count === 1 ? 'is' : 'are'} only in Ion's archive`
  if (restorable === count) return `${where} (${restore})`
  if (restorable === 0) return `${where} (${read})`
  return `${where}: ${formatCount(restorable)} can be restored (${restore}), ${formatCount(count - restorable)} only read (${read})`
}

/** Events that the agent has dropped or rewritten, and that are shown only on request. */
export function moreInArchive(events: EventCount): string {
  return `Ion's archive has ${events === 'some' ? 'events' : pluralize(events, 'more event')} that the agent no longer has`
}
