import type { Agent } from '../../../agents/agent.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { stampOf } from '../../../native/walk.ts'
import type { Io } from '../../../platform/io.ts'
import { type Check, ok, warn } from './check.ts'

const DAY = 86_400_000
const SOON_DAYS = 7

/** Sessions that the agent itself will delete before long. */
export function retentionChecks(agent: Agent, catalog: Catalog, io: Io): Check[] {
  const rule = agent.retention?.(io)
  if (!rule) return []
  const rows = catalog.sessions({ agents: [agent.id], hidden: true, subAgents: true })
  if (rows.length === 0) return []
  const limit = io.now().getTime() - (rule.days - SOON_DAYS) * DAY
  const age = (row: SessionRow): number =>
    rule.counts === 'file time' ? (stampOf(row.path)?.mtimeMs ?? 0) : Date.parse(row.updated_at ?? '')
  const soon = rows.filter((row) => !row.archived && age(row) < limit)
  const setting = rule.setting.replaceAll(`${io.home}/`, '~/')
  const keep = `raise ${setting}, or keep copies: ion capture --all`
  const checks = [
    soon.length === 0
      ? ok('retention', `deletes after ${rule.days} days; nothing is due within a week`, agent.id)
      : warn(
          'retention',
          `${soon.length} of ${rows.length} sessions will be deleted by ${agent.title} within a week (it keeps them ${rule.days} days)`,
          keep,
          agent.id,
        ),
  ]
  if (rule.danger) checks.push(warn('retention', rule.danger, `turn it off: ${setting}`, agent.id))
  return checks
}
