import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { pluralize } from '../../pluralize.ts'
import { bytes, oneLine } from '../../text.ts'
import { SOON_DAYS } from './days.ts'
import type { AgentLine, DeletionLine, DiskLine } from './lines.ts'

export interface Sentence {
  readonly text: string
  readonly warns: boolean
}

/** The figures over all agents, the most important sentence first. */
export function sumWords(agents: readonly AgentLine[]): string[] {
  const sum = (of: (line: AgentLine) => number): number => agents.reduce((total, line) => total + of(line), 0)
  if (agents.length === 0) return ['No sessions and no data of agents here']
  const sessions = sum((line) => line.sessions)
  const hold = sessions === 1 ? 'holds' : 'hold'
  return [
    `${pluralize(sessions, 'session')} of ${pluralize(agents.length, 'agent')} ${hold} ${bytes(sum((line) => line.bytes))}`,
    `With all else that the agents keep it is ${bytes(sum((line) => Math.max(line.disk_bytes, line.bytes)))}.`,
    `Sessions used in the last 7 days hold ${bytes(sum((line) => line.bytes_7d))}, in the last 30 days ${bytes(sum((line) => line.bytes_30d))}.`,
  ]
}

/** An agent's rule for deleting and what it comes to. `line` has one. */
export function retentionWords(line: AgentLine, deletions: readonly DeletionLine[], io: Io): Sentence[] {
  const { days, setting, counts, danger } = line.retention!
  const own = deletions.filter(({ agent }) => agent === line.agent)
  const due = own.filter(({ days_left }) => days_left === 0)
  const soon = own.filter(({ days_left }) => days_left > 0 && days_left <= SOON_DAYS)
  const next = own.find(({ days_left }) => days_left > SOON_DAYS)
  const from = counts === 'file time' ? 'after its file was last written' : 'after its last use'
  const told = [
    ...(due.length ? [`${pluralize(due.length, 'session')} (${size(due)}) at its next start`] : []),
    ...(soon.length ? [`${pluralize(soon.length, 'session')} (${size(soon)}) within ${SOON_DAYS} days`] : []),
    ...(due.length + soon.length === 0 ? [`nothing within ${SOON_DAYS} days`] : []),
    ...(next ? [`${due.length + soon.length ? 'the next' : 'the first'} in ${next.days_left} days`] : []),
  ]
  const limit = Number.isInteger(days) ? pluralize(days, 'day') : `${days.toFixed(1)} days`
  const rule = `${line.title} deletes a session ${limit} ${from} (${settingWords(setting, io)})`
  return [
    { text: oneLine(`${rule}: ${told.join(', ')}`), warns: due.length + soon.length > 0 },
    ...(danger ? [{ text: oneLine(`! ${danger}`), warns: true }] : []),
  ]
}

/** A sentence for each file system, and one for each agent that has too little room there. */
export function roomWords(disks: readonly DiskLine[], titleOf: (agent: string) => string, io: Io): Sentence[] {
  const devices = [...new Set(disks.map((disk) => disk.device))]
  return devices.flatMap((device) => {
    const here = disks.filter((disk) => disk.device === device)
    const { free_bytes: free, total_bytes: total } = here[0]!
    const places = placesOf(here, io)
    if (free === null || total === null) return [{ text: `how much is free is not told: ${places}`, warns: false }]
    const short = [...new Map(here.filter((disk) => disk.enough === false).map((disk) => [disk.agent, disk])).values()]
    return [
      {
        text: `${bytes(free)} free of ${bytes(total)}${short.length ? '' : ', enough'}: ${places}`,
        warns: short.length > 0,
      },
      ...short.map((disk) => ({
        text: oneLine(`! ${titleOf(disk.agent)} should have ${bytes(disk.minimum_bytes)}: free some space`),
        warns: true,
      })),
    ]
  })
}

/** So many paths of a file system are named. */
const NAMED = 3

function placesOf(disks: readonly DiskLine[], io: Io): string {
  const names = disks.map(({ path }) => oneLine(tilde(path, io)))
  const rest = names.length - NAMED
  return [...names.slice(0, NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function size(lines: readonly DeletionLine[]): string {
  return bytes(lines.reduce((sum, line) => sum + line.bytes, 0))
}

/** A setting names its file at its end. */
function settingWords(setting: string, io: Io): string {
  return setting.replace(io.home, '~')
}
