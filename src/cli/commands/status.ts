import { existsSync } from 'node:fs'
import { agentPrograms } from '../../agents/_programs.ts'
import type { AgentProgram } from '../../agents/agent.ts'
import type { AgentOverview, SessionList } from '../../catalog/catalog.ts'
import { sumTotals } from '../../catalog/sum-totals.ts'
import { amount, bytes, formatCount, pluralize } from '../../platform/format-count.ts'
import { tasksFolder } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { status } from '../definitions/machine.ts'
import { type Installed, installedAgents } from '../installed.ts'
import { type Column, table } from '../table.ts'
import { outputWidth } from '../terminal.ts'
import { ago } from '../text.ts'
import { furtherSessions, onlyInArchive } from '../totals.ts'
import { withList } from '../with-list.ts'

export const run: Run<typeof status> = async (_args, options, context) => {
  await withList(context, { live: false, shortIds: false }, async (list) => {
    const rows = statusRows(list.overview(), await installedAgents(agentPrograms, context))
    if (options.json) for (const row of rows) context.out.write(`${toJsonText(row)}\n`)
    else {
      const lines = rows.length ? await report(rows, list, context) : welcome()
      context.out.write(`${[...lines, ...(await runningLines(context))].join('\n')}\n`)
    }
  })
  return 'ok'
}

interface StatusRow extends AgentOverview {
  readonly title: string
  readonly installed: boolean
  readonly version: string | null
}

/** Agents that have sessions or are installed. */
function statusRows(overview: readonly AgentOverview[], installed: readonly Installed<AgentProgram>[]): StatusRow[] {
  const rows = installed.flatMap(({ agent, program, version }) => {
    const found = overview.find((entry) => entry.agent === agent.id)
    if (!found && (!program || agent.isArchive)) return []
    const none = { sessions: 0, only_in_archive: 0, sub_agents: 0, hidden: 0 }
    const empty = { agent: agent.id, ...none, bytes: 0, newest: null, problems: 0 }
    return [{ ...(found ?? empty), title: agent.title, installed: program !== undefined, version: version ?? null }]
  })
  return rows.sort((a, b) => ((a.newest ?? '') < (b.newest ?? '') ? 1 : -1))
}

async function report(rows: readonly StatusRow[], list: SessionList, { io, out }: Context): Promise<string[]> {
  const colours = palette(out)
  const totals = sumTotals(rows)
  const owners = rows.filter((row) => row.sessions + row.sub_agents + row.hidden > 0).length
  const size = rows.reduce((sum, row) => sum + row.bytes, 0)
  const archived = totals.only_in_archive
  const restorable = archived === 0 ? 0 : (await import('../../storage/restorable.ts')).countRestorable(rows, list, io)
  const columns: Column<StatusRow>[] = [
    { title: 'agent', value: (row) => row.title, paint: colours.accent, shrinkTo: 10 },
    { title: 'sessions', value: (row) => amount(row.sessions), align: 'right' },
    { title: 'newest', value: (row) => (row.newest ? ago(row.newest, io.now()) : '-'), align: 'right' },
    { title: 'on disk', value: (row) => bytes(row.bytes), align: 'right' },
    { title: 'installed', value: (row) => row.version ?? (row.installed ? 'yes' : 'not found'), dropOrder: 1 },
  ]
  return [
    colours.strong(
      `${pluralize(totals.sessions, 'session')} of ${pluralize(owners, 'agent')}${furtherSessions(totals)}, ${bytes(size)}`,
    ),
    ...(archived > 0 ? [`${formatCount(archived)} ${onlyInArchive(archived, restorable)}`] : []),
    '',
    ...table(columns, rows, outputWidth({ io, out }), colours),
    '',
    ...troubleLine(list.sourceErrors().length, rows, colours.warn),
    ...nextSteps(rows),
  ]
}

async function runningLines({ io }: Context): Promise<string[]> {
  if (!existsSync(tasksFolder(io))) return []
  const { isRunning, activeTasks } = await import('../../host/tasks.ts')
  const count = activeTasks(io).filter(isRunning).length
  return count === 0 ? [] : ['', `${pluralize(count, 'agent')} running: ion ps, ion attach, ion stop`]
}

function troubleLine(troubles: number, rows: readonly StatusRow[], paint: (text: string) => string): string[] {
  const inside = rows.reduce((sum, row) => sum + row.problems, 0)
  if (troubles + inside === 0) return []
  const parts = [
    ...(troubles ? [`${pluralize(troubles, 'file or folder', 'files or folders')} could not be read`] : []),
    ...(inside ? [`${pluralize(inside, 'unreadable record')} in sessions`] : []),
  ]
  return [paint(`${parts.join(', ')}: ion doctor`), '']
}

function nextSteps(rows: readonly StatusRow[]): string[] {
  if (rows.every((row) => row.sessions === 0))
    return ['No sessions yet. Start an agent with ion run <agent> "task", or see what Ion does: ion demo']
  return [
    'ion sessions          pick a session and read it',
    'ion search <words>    search the text of all of them',
    'ion show <id>         read a session',
    ...(rows.some((row) => row.sessions > 0 && row.installed)
      ? ['ion --continue        reopen the newest session of this project in its agent']
      : []),
  ]
}

function welcome(): string[] {
  return [
    'No coding agents and no sessions were found on this machine.',
    '',
    'See what Ion does with sample sessions:   ion demo',
    'Supported agents and where Ion looks:     ion agents',
  ]
}
