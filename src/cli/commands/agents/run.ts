import { existsSync } from 'node:fs'
import { measuredLevel } from '../../../agents/level.ts'
import type { AgentOverview } from '../../../catalog/catalog.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { type Installed, installedAgents } from '../../installed.ts'
import { roomOf } from '../../output-width.ts'
import { type Column, table } from '../../table.ts'
import { amount, bytes, wrap } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'

export async function run(_args: unknown, options: Options, context: Context): Promise<ExitKind> {
  return withCatalog(context, async (catalog): Promise<ExitKind> => {
    refreshed(catalog, context)
    const overview = catalog.overview()
    const rows = (await installedAgents(context))
      .filter(({ agent }) => !agent.isArchive)
      .map((installed) => agentRow(installed, overview, context.io))
    if (options.json) for (const row of rows) context.out.write(`${JSON.stringify(row)}\n`)
    else context.out.write(`${matrix(rows, context).join('\n')}\n`)
    return 'ok'
  })
}

/** The documented JSON of `ion agents --json`. */
interface AgentRow {
  readonly id: string
  readonly title: string
  readonly installed: boolean
  readonly program: string | null
  readonly version: string | null
  readonly sessions: number
  readonly bytes: number
  readonly data: readonly { readonly path: string; readonly exists: boolean; readonly env: readonly string[] }[]
  readonly minimum_bytes: number
  /** As measured on the real agent; `read-only` where it was not. */
  readonly resume: string
  /** The version that it was measured on. */
  readonly resume_version: string | null
  readonly resume_note: string
  readonly limits: string | null
  readonly install: string
}

function agentRow({ agent, program, version }: Installed, overview: readonly AgentOverview[], io: Io): AgentRow {
  const { level, version: proven } = measuredLevel(agent)
  const found = overview.find((entry) => entry.agent === agent.id)
  return {
    id: agent.id,
    title: agent.title,
    installed: program !== undefined,
    program: program ?? null,
    version: version ?? null,
    sessions: found?.sessions ?? 0,
    bytes: found?.bytes ?? 0,
    data: agent.paths(io).map(({ path, env }) => ({ path, exists: existsSync(path), env })),
    minimum_bytes: agent.minimumBytes,
    resume: level,
    resume_version: proven,
    resume_note: agent.resume.note,
    limits: agent.limits ?? null,
    install: agent.install,
  }
}

function matrix(rows: readonly AgentRow[], { io, out }: Context): string[] {
  const colours = palette(out)
  const here = (row: AgentRow): string => row.version ?? (row.installed ? 'yes' : '-')
  const columns: Column<AgentRow>[] = [
    { title: 'agent', value: (row) => row.title, paint: (text) => colours.accent(text), shrinkTo: 10 },
    { title: 'id', value: (row) => row.id },
    { title: 'here', value: here },
    { title: 'sessions', value: (row) => amount(row.sessions), align: 'right' },
    { title: 'resume', value: (row) => row.resume },
    { title: 'plan for', value: (row) => bytes(row.minimum_bytes), align: 'right', dropOrder: 2 },
    {
      title: 'data',
      value: (row) => row.data.map(({ path }) => tilde(path, io)).join(', '),
      shrinkTo: 12,
      dropOrder: 1,
    },
  ]
  const wide = roomOf({ io, out }, 160)
  const note = 'resume: measured on the real agents; read-only where it could not be measured (docs/compatibility.md)'
  return [...table(columns, rows, wide, colours), '', ...wrap(note, wide).map((line) => colours.faint(line))]
}
