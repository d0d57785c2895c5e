import { parseSince } from '../../../platform/since.ts'
import type { ListedSession } from '../../../server/browse/contract.ts'

/** Whether the filter of a list, as it is in the address, selects a session; as the server does (see conditions in select.ts). */
export function selects(filter: URLSearchParams, session: ListedSession, now: Date): boolean {
  const { agent, tags = [], updated_at } = session
  const agents = listOf(filter.get('agent'))
  const wanted = listOf(filter.get('tag'))
  const since = filter.get('since')
  return (
    (agents.length === 0 || agents.includes(agent)) &&
    isIn(session.project, filter.get('project')) &&
    (wanted.length === 0 || wanted.some((tag) => tags.includes(tag))) &&
    (!since || (updated_at !== null && Date.parse(updated_at) >= timeOf(since, now))) &&
    (!filter.has('pinned') || session.pinned === true) &&
    (!filter.has('archived') || session.only_in_archive === true) &&
    (filter.has('subagents') || session.parent === undefined) &&
    (filter.has('hidden') || !session.hidden)
  )
}

function listOf(value: string | null): string[] {
  return (value ?? '').split(',').filter((one) => one !== '')
}

/** A project contains the folders below it. */
function isIn(project: string | null, wanted: string | null): boolean {
  if (!wanted) return true
  return project === wanted || project?.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`) === true
}

/** What is not a time selects nothing: the server has refused the list. */
function timeOf(since: string, now: Date): number {
  try {
    return parseSince(since, now).getTime()
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
