import { existsSync } from 'node:fs'
import { agents as allAgents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { measuredLevel } from '../../agents/level.ts'
import type { AgentOverview } from '../../catalog/catalog.ts'
import { amount, bytes } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { agents } from '../definitions/machine.ts'
import { withDocPaths } from '../doc-paths.ts'
import { type Installed, installedAgents } from '../installed.ts'
import { type Column, table } from '../table.ts'
import { outputWidth } from '../terminal.ts'
import { wrap } from '../text.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'

export const run: Run<typeof agents> = async (_args, options, context) => {
  await withCatalog(context, async (catalog) => {
    refreshed(catalog, context)
    const overview = catalog.overview()
    const rows = (await installedAgents(allAgents, context))
      .filter(({ agent }) => !agent.isArchive)
      .map((installed) => agentRow(installed, overview, context.io))
    if (options.json) for (const row of rows) context.out.write(`${toJsonText(row)}\n`)
    else context.out.write(`${matrix(rows, context).join('\n')}\n`)
  })
  return 'ok'
}

type AgentRow = ReturnType<typeof agentRow>

/** The documented JSON of `ion agents --json`. */
function agentRow({ agent, program, version }: Installed<Agent>, overview: readonly AgentOverview[], io: Io) {
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
    /** As measured on the real agent, and on which version of it; `unproven` if it could not be measured. */
    resume: level,
    resume_version: proven,
    resume_note: agent.resume.note,
    limits: agent.limits ?? null,
    install: agent.install,
  }
}

function matrix(rows: readonly AgentRow[], { io, out }: Context): string[] {
  const colours = palette(out)
  const columns: Column<AgentRow>[] = [
    { title: 'agent', value: (row) => row.title, paint: colours.accent, shrinkTo: 10 },
    { title: 'id', value: (row) => row.id },
    { title: 'installed', value: (row) => row.version ?? (row.installed ? 'yes' : '-') },
    { title: 'sessions', value: (row) => amount(row.sessions), align: 'right' },
    { title: 'resume', value: (row) => row.resume },
    { title: 'disk to reserve', value: (row) => bytes(row.minimum_bytes), align: 'right', dropOrder: 2 },
    {
      title: 'data',
      value: (row) => row.data.map(({ path }) => tilde(path, io)).join(', '),
      shrinkTo: 12,
      dropOrder: 1,
    },
  ]
  const columnsAvailable = outputWidth({ io, out })
  const note = withDocPaths(
    'resume: measured with the real agents; unproven if that was not possible (docs/compatibility.md)',
  )
  return [...table(columns, rows, columnsAvailable, colours), '', ...wrap(note, columnsAvailable).map(colours.faint)]
}
