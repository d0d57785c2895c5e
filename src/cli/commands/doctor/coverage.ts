import type { Agent } from '../../../agents/agent.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { readSession } from '../../../catalog/read-session.ts'
import { isProblem } from '../../../events/item.ts'
import { readContext } from '../../../native/read-context.ts'
import type { Io } from '../../../platform/io.ts'
import { type Check, ok, warn } from './check.ts'

/** So much of an agent is read when not everything is asked for. */
const SAMPLE_SESSIONS = 100
const SAMPLE_BYTES = 100e6

/** How much of an agent's records Ion understands, by reading its newest sessions. */
export function coverageChecks(agent: Agent, catalog: Catalog, io: Io, full: boolean): Check[] {
  const rows = catalog.sessions({ agents: [agent.id], hidden: true, subAgents: true })
  if (rows.length === 0) return []
  const reading = readContext(io)
  let sessions = 0
  let problems = 0
  for (const row of rows) {
    if (!full && (sessions >= SAMPLE_SESSIONS || reading.bytes + row.bytes > SAMPLE_BYTES)) continue
    sessions++
    for (const item of readSession(catalog.locate(row), io, reading)) if (isProblem(item)) problems++
  }
  const { known, skipped, native, bad: unreadable } = reading.coverage
  const total = known + skipped + native + unreadable
  const share = total === 0 ? 100 : Math.floor((1000 * (known + skipped)) / total) / 10
  const detail =
    `${share} % of ${total} records understood in ${sessions} of ${rows.length} sessions ` +
    `(${known} known, ${skipped} bookkeeping, ${native} kept as they are, ${unreadable} bad)`
  if (native + unreadable + problems === 0) return [ok('coverage', detail, agent.id)]
  const fix = 'nothing is lost: ion show <id> --json has them; a newer Ion may know these records'
  return [warn('coverage', detail, fix, agent.id)]
}
