import type { SessionTotals } from '../../../catalog/catalog.ts'
import { bytes, formatCount, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { SOON_DAYS } from '../../../storage/deletions.ts'
import type { AgentLine, DeletionLine, DiskLine } from '../../../storage/lines.ts'
import { oneLine } from '../../text.ts'
import { furtherSessions, onlyInArchive } from '../../totals.ts'

export interface Sentence {
  readonly text: string
  readonly warns: boolean
}

/** The totals of all agents, most important first. */
export function totalText(agents: readonly AgentLine[], totals: SessionTotals, restorable: number): string[] {
  const sum = (of: (line: AgentLine) => number): number => agents.reduce((total, line) => total + of(line), 0)
  const archived = totals.only_in_archive
  const all = `${pluralize(totals.sessions, 'session')} in total`
  const elsewhere =
    archived > 0 ? [`${formatCount(archived)} more ${onlyInArchive(archived, restorable)}; ${all}.`] : []
  if (agents.length === 0) return ['No sessions and no agent data on this machine', ...elsewhere]
  const sessions = sum((line) => line.sessions)
  const further = furtherSessions(totals)
  const owners = agents.filter((line) => line.sessions + line.sub_agents + line.hidden > 0).length
  const take = sessions === 1 && further === '' ? 'takes' : 'take'
  return [
    `${pluralize(sessions, 'session')} of ${pluralize(owners, 'agent')}${further} ${take} ${bytes(sum((line) => line.bytes))}`,
    ...elsewhere,
    `Including everything else in the agents' folders: ${bytes(sum((line) => Math.max(line.disk_bytes, line.bytes)))}.`,
    `Sessions used in the last 7 days take ${bytes(sum((line) => line.bytes_7d))}, in the last 30 days ${bytes(sum((line) => line.bytes_30d))}.`,
  ]
}

/** An agent's retention rule and its effect; `line` must have one. */
export function retentionText(line: AgentLine, deletions: readonly DeletionLine[], io: Io): Sentence[] {
  const { days, setting, counts, danger } = line.retention!
  const own = deletions.filter(({ agent }) => agent === line.agent)
  const due = own.filter(({ days_left }) => days_left === 0)
  const soon = own.filter(({ days_left }) => days_left > 0 && days_left <= SOON_DAYS)
  const next = own.find(({ days_left }) => days_left > SOON_DAYS)
  const from = counts === 'file time' ? 'after its file was last written' : 'after its last use'
  const effects = [
    ...(due.length ? [`${pluralize(due.length, 'session')} (${size(due)}) at its next start`] : []),
    ...(soon.length ? [`${pluralize(soon.length, 'session')} (${size(soon)}) within ${SOON_DAYS} days`] : []),
    ...(due.length + soon.length === 0 ? [`nothing within ${SOON_DAYS} days`] : []),
    ...(next ? [`${due.length + soon.length ? 'the next' : 'the first'} in ${next.days_left} days`] : []),
  ]
  const limit = Number.isInteger(days) ? pluralize(days, 'day') : `${days.toFixed(1)} days`
  const rule = `${line.title} deletes a session ${limit} ${from} (${settingText(setting, io)})`
  return [
    { text: oneLine(`${rule}: ${effects.join(', ')}`), warns: due.length + soon.length > 0 },
    ...(danger ? [{ text: oneLine(`! ${danger}`), warns: true }] : []),
  ]
}

/** A sentence for each file system, and one for each agent with too little space there. */
export function diskText(disks: readonly DiskLine[], titleOf: (agent: string) => string, io: Io): Sentence[] {
  const devices = [...new Set(disks.map((disk) => disk.device))]
  return devices.flatMap((device) => {
    const here = disks.filter((disk) => disk.device === device)
    const { free_bytes: free, total_bytes: total } = here[0]!
    const places = placesOf(here, io)
    if (free === null || total === null) return [{ text: `free space unknown: ${places}`, warns: false }]
    const short = [...new Map(here.filter((disk) => disk.enough === false).map((disk) => [disk.agent, disk])).values()]
    return [
      {
        text: `${bytes(free)} free of ${bytes(total)}${short.length ? '' : ', enough'}: ${places}`,
        warns: short.length > 0,
      },
      ...short.map((disk) => ({
        text: oneLine(`! ${titleOf(disk.agent)} needs ${bytes(disk.minimum_bytes)}: free some space`),
        warns: true,
      })),
    ]
  })
}

/** Maximum number of paths listed for a file system. */
const MAX_PATHS = 3

function placesOf(disks: readonly DiskLine[], io: Io): string {
  const names = disks.map(({ path }) => oneLine(tilde(path, io)))
  const rest = names.length - MAX_PATHS
  return [...names.slice(0, MAX_PATHS), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function size(lines: readonly DeletionLine[]): string {
  return bytes(lines.reduce((sum, line) => sum + line.bytes, 0))
}

/** A setting ends with the path of its file. */
function settingText(setting: string, io: Io): string {
  return setting.replace(io.home, '~')
}
