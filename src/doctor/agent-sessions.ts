import type { Agent } from '../agents/agent.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { readSession } from '../catalog/read-session.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { type Coverage, readContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import { pluralize } from '../platform/format-count.ts'
import type { Io } from '../platform/io.ts'
import { type Check, ok, warn } from './check.ts'

/** How much of each agent is read without --full. */
const SAMPLE_SESSIONS = 100
const SAMPLE_BYTES = 100e6

/** How much of an agent's records Ion understands, by reading its newest sessions. */
export function coverageChecks(agent: Agent, catalog: Catalog, io: Io, full: boolean): Check[] {
  const rows = catalog.sessions({ agents: [agent.id], hidden: true, subAgents: true })
  if (rows.length === 0) return []
  const reading = readContext(io)
  let sessions = 0
  for (const row of rows) {
    if (!full && (sessions >= SAMPLE_SESSIONS || reading.bytes + row.bytes > SAMPLE_BYTES)) continue
    sessions++
    // Counts what it reads.
    for (const _item of readSession(catalog.locate(row), io, reading));
  }
  return [coverageCheck(reading.coverage, ` in ${sessions} of ${rows.length} sessions`, '<id>', agent.id)]
}

export function coverageCheck(
  { known, skipped, native, bad }: Coverage,
  where: string,
  id: string,
  agent: string,
): Check {
  const total = known + skipped + native + bad
  const share = total === 0 ? 100 : Math.floor((1000 * (known + skipped)) / total) / 10
  const detail = `${share} % of ${total} records understood${where} (${known} known, ${skipped} internal, ${native} unknown)`
  if (native === 0) return ok('coverage', detail, agent)
  const fix = `nothing is lost: ion show ${id} --json prints them; a newer Ion may understand these records`
  return warn('coverage', detail, fix, agent)
}

/** Sessions that are named; the rest is counted. */
const MAX_NAMED = 3

/** Records of all sessions that could not be read: as many as `ion` reports, and where. */
export function recordChecks(agent: Agent, catalog: Catalog): Check[] {
  const rows = catalog
    .sessions({ agents: [agent.id], hidden: true, subAgents: true })
    .filter(({ problems }) => problems > 0)
  if (rows.length === 0) return []
  const records = rows.reduce((sum, row) => sum + row.problems, 0)
  const named = rows.slice(0, MAX_NAMED).map(({ id }) => id)
  const others = rows.length > named.length ? [`${rows.length - named.length} more`] : []
  const where = `in ${pluralize(rows.length, 'session')}: ${[...named, ...others].join(', ')}`
  const fix = `ion show ${named[0]} says what is wrong with them; the other records of these sessions are shown`
  return [warn('records', `${pluralize(records, 'unreadable record')} ${where}`, fix, agent.id)]
}

const DAY = 86_400_000
const SOON_DAYS = 7

/** Sessions that the agent itself will delete soon. */
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
  const fix = `raise ${setting}, or archive them: ion capture --all`
  const checks = [
    soon.length === 0
      ? ok('retention', `sessions are deleted after ${rule.days} days; none within a week`, agent.id)
      : warn(
          'retention',
          `${agent.title} will delete ${soon.length} of ${rows.length} sessions within a week (it keeps them for ${rule.days} days)`,
          fix,
          agent.id,
        ),
  ]
  if (rule.danger) checks.push(warn('retention', rule.danger, `turn it off: ${setting}`, agent.id))
  return checks
}
