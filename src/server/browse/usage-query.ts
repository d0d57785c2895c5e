import type { SessionRow } from '../../catalog/session-row.ts'
import { IonError } from '../../platform/error.ts'
import type { UsageBy, UsageReport } from '../../usage/report.ts'
import type { SessionUsage } from './contract.ts'

/** What a report is asked for; times as on the command line. */
export interface UsageQuery {
  readonly by: UsageBy
  readonly since?: string
  readonly until?: string
  readonly agents: readonly string[]
  readonly project?: string
  readonly models: readonly string[]
  readonly breakdown: boolean
}

/** Where the figures come from. */
export interface UsageSource {
  readonly usage: (query: UsageQuery) => Promise<UsageReport>
  readonly sessionUsage: (session: SessionRow) => Promise<SessionUsage>
}

const KINDS: readonly UsageBy[] = ['daily', 'weekly', 'monthly', 'sessions', 'models', 'projects', 'agents', 'blocks']

/** Throws `usage` if it asks for an unknown kind of report. */
export function usageQuery(query: (name: string) => readonly string[]): UsageQuery {
  const [given = 'daily', since, until, project, breakdown] = ['by', 'since', 'until', 'project', 'breakdown'].map(
    (name) => query(name)[0],
  )
  const by = KINDS.find((one) => one === given)
  if (!by) throw new IonError('usage', `"${given}" is not a kind of report`, { hint: KINDS.join(', ') })
  const list = (name: string): string[] => query(name).flatMap((text) => text.split(',').filter((one) => one !== ''))
  return {
    by,
    agents: list('agent'),
    models: list('model'),
    breakdown: breakdown === '1' || breakdown === 'true',
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
    ...(project ? { project } : {}),
  }
}
