import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findAgent } from '../../../agents/find.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Located } from '../../../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../../../catalog/session-row.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { projectOf } from '../../../platform/project.ts'
import { parseSince } from '../../../platform/since.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { parseLimit } from '../../limit.ts'
import { canPick } from '../../picker/can-pick.ts'
import { remoteSessions } from '../../remote-sessions.ts'
import { oneLine } from '../../text.ts'
import { freshnessNotice, refreshed, withCatalog } from '../../with-catalog.ts'
import { sessionTable } from './session-table.ts'

const DEFAULT_LIMIT = 50

export async function run(_args: unknown, options: Options, context: Context): Promise<ExitKind | number> {
  const done = await withCatalog(context, async (catalog): Promise<ExitKind | Located> => {
    const filter = filterOf(options, context)
    if (canPick(context) && !options.json && !options.plain && !options.remote) {
      const { choose } = await import('./choose.ts')
      return choose(catalog, filter, scopeOf(catalog, filter, options, context), options, context)
    }
    list(catalog, filter, options, context)
    return 'ok'
  })
  if (typeof done === 'string') return done
  // The catalogue is closed by now: the agent may run for days.
  const { resumeSession } = await import('../resume/resume-session.ts')
  return resumeSession(done, {}, context, undefined)
}

/** The table or the lines, and on stderr what a reader should know about them. */
export function list(catalog: Catalog, base: SessionFilter, options: Options, context: Context): void {
  const { io, out, err } = context
  const note = (text: string): void => err.write(`${palette(err).faint(text)}\n`)
  const report = refreshed(catalog, context)
  const project = scopeOf(catalog, base, options, context)
  const filter = { ...base, ...(project === null ? {} : { project }) }
  const limit = parseLimit(options.limit, DEFAULT_LIMIT)
  // One more than is shown, to know whether there are more: counting them all takes longer than listing.
  const local = catalog.sessions({ ...filter, ...(limit === undefined ? {} : { limit: limit + 1 }) })
  const remote = options.remote ? remoteSessions(filter, io, (problem) => err.write(`ion: ${oneLine(problem)}\n`)) : []
  const rows = merge(local, remote, limit)
  const more = rows.length < local.length + remote.length
  const where = project === null ? 'all projects' : tilde(project, io)
  if (options.json) {
    for (const row of rows) out.write(`${JSON.stringify(row)}\n`)
  } else if (rows.length > 0) {
    note(`sessions in ${where}, newest first`)
    out.write(`${sessionTable(rows, project === null, context).join('\n')}\n`)
  } else {
    note(`no sessions in ${where}${project === null ? '' : '; --all looks everywhere'}`)
  }
  if (more) note(`the newest ${rows.length}; --limit 0 shows all`)
  const stale = freshnessNotice(report, context)
  if (stale) note(stale)
}

export function filterOf(options: Options, { io }: Context): SessionFilter {
  const agents = ((options.agent as readonly string[] | undefined) ?? []).map((name) => findAgent(name).id)
  return {
    ...(agents.length ? { agents } : {}),
    ...(typeof options.since === 'string' ? { since: parseSince(options.since, io.now()) } : {}),
    ...(options.hidden ? { hidden: true } : {}),
    ...(options.subAgents ? { subAgents: true } : {}),
  }
}

/** The project to show; null for all. The one the user stands in counts only when it has sessions. */
function scopeOf(catalog: Catalog, filter: SessionFilter, options: Options, { io }: Context): string | null {
  if (options.all && options.project !== undefined) {
    throw new IonError('usage', '--all and --project exclude each other', { hint: 'give one of them' })
  }
  if (options.all) return null
  if (typeof options.project === 'string') {
    const folder = resolve(io.cwd, options.project)
    // A project whose folder is gone still has its sessions.
    return existsSync(folder) ? projectOf(folder) : folder
  }
  const here = projectHere(io)
  return here !== null && catalog.count({ ...filter, project: here }) > 0 ? here : null
}

/** The home folder and the root hold everything: who stands there is in no project. */
export function projectHere(io: Io): string | null {
  const project = projectOf(io.cwd)
  return project === io.home || dirname(project) === project ? null : project
}

function merge(local: readonly SessionRow[], remote: readonly SessionRow[], limit: number | undefined): SessionRow[] {
  if (remote.length === 0) return local.slice(0, limit)
  const known = new Set(local.map((row) => row.id))
  return [...local, ...remote.filter((row) => !known.has(row.id))]
    .sort((a, b) => ((a.updated_at ?? '') < (b.updated_at ?? '') ? 1 : -1))
    .slice(0, limit)
}
