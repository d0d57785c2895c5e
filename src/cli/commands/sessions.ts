import { loaders } from '../../agents/_loaders.ts'
import type { Freshness, SessionList } from '../../catalog/catalog.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import type { Config } from '../../config/config.ts'
import { namedProject } from '../../config/project-alias.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { parseSince } from '../../platform/since.ts'
import { palette } from '../colour.ts'
import { type Context, type OptionsOf, type Run, withDefaults } from '../command.ts'
import { currentProject } from '../current-project.ts'
import type { sessions } from '../definitions/sessions.ts'
import { freshnessNotice } from '../freshness-notice.ts'
import { listTitle } from '../list-title.ts'
import { doubtfulProject, requireProject } from '../require-project.ts'
import { shownIds } from '../short-id.ts'
import { type Column, table } from '../table.ts'
import { canPick, outputWidth } from '../terminal.ts'
import { ago, oneLine } from '../text.ts'
import { furtherListed } from '../totals.ts'
import { parseLimit } from '../validate.ts'
import { withList } from '../with-list.ts'

type SessionsOptions = OptionsOf<typeof sessions>

const DEFAULT_LIMIT = 50
const COMMAND = ['ion', 'sessions']

export const run: Run<typeof sessions> = async (_args, options, context) => {
  const filter = await filterOf(options, context)
  if (canPick(context) && !options.json && !options.plain && !options.remote) return pickOne(filter, options, context)
  const remote = options.remote ? (await import('../remote-sessions.ts')).remoteSessions : () => []
  await withList(context, { live: options.json, shortIds: context.out.isTTY }, async (list, freshness) => {
    if (!options.remote) await requireProject(list, options.project, COMMAND, context)
    print(list, freshness, filter, remote, options, context)
  })
  return 'ok'
}

async function pickOne(filter: SessionFilter, options: SessionsOptions, context: Context): Promise<ExitKind | number> {
  const { refreshed, withCatalog } = await import('../with-catalog.ts')
  const { pickSession } = await import('./pick-session.ts')
  const done = await withCatalog(context, async (catalog) => {
    if (doubtfulProject(options.project, context) !== undefined) {
      refreshed(catalog, context)
      await requireProject(catalog, options.project, COMMAND, context)
    }
    const project = chosenProject(options, context) ?? currentProject(context.io)
    return pickSession(catalog, filter, project, { all: listsAll(options, context.config), enter: 'show' }, context)
  })
  if (typeof done === 'string') return done
  // The index is closed by now: the agent may run for days.
  const { resumeChosen } = await import('./resume.ts')
  const { resume } = await import('../definitions/running.ts')
  return resumeChosen(done, withDefaults(resume, {}), context, undefined)
}

type RemoteSessions = (filter: SessionFilter, io: Io, onProblem: (problem: string) => void) => readonly SessionRow[]

/** Prints the table or JSON lines; notes about them go to stderr. */
function print(
  catalog: SessionList,
  freshness: Freshness,
  base: SessionFilter,
  remoteSessions: RemoteSessions,
  options: SessionsOptions,
  context: Context,
): void {
  const { io, out, err } = context
  const note = (text: string): void => err.write(`${palette(err).faint(text)}\n`)
  const project = scopeOf(catalog, base, options, context)
  const filter = { ...base, ...(project === null ? {} : { project }) }
  const limit = parseLimit(options.limit, DEFAULT_LIMIT)
  // One more than is shown, to know whether there are more: counting all takes longer than listing.
  const local = catalog.sessions({ ...filter, ...(limit === undefined ? {} : { limit: limit + 1 }) })
  const remote = remoteSessions(filter, io, (problem) => err.write(`ion: ${oneLine(problem)}\n`))
  const rows = merge(local, remote, limit)
  const more = rows.length < local.length + remote.length
  const where = project === null ? 'all projects' : tilde(project, io)
  const further = furtherListed(catalog.further(filter), filter)
  const shown = shownIds([...local, ...remote], catalog, out)
  if (options.json) {
    for (const row of rows) out.write(`${toJsonText(row)}\n`)
  } else if (rows.length > 0) {
    note(`sessions in ${where}, newest first${further}`)
    out.write(`${sessionTable(rows, shown, project === null, context).join('\n')}\n`)
  } else {
    note(`no sessions in ${where}${further}${project === null ? '' : '; --all lists all projects'}`)
  }
  if (more) note(`showing the newest ${rows.length}; --limit 0 shows all`)
  const stale = freshnessNotice({ freshness }, context)
  if (stale) note(stale)
}

async function filterOf(options: SessionsOptions, { io }: Context): Promise<SessionFilter> {
  const agents = await Promise.all(options.agent.map(agentId))
  const tags = options.tag.length > 0 ? (await import('../../organise/tag.ts')).knownTags(options.tag, io) : []
  return {
    ...(agents.length ? { agents } : {}),
    ...(options.since !== undefined ? { since: parseSince(options.since, io.now()) } : {}),
    ...(options.hidden ? { hidden: true } : {}),
    ...(options.subAgents ? { subAgents: true } : {}),
    ...(tags.length ? { tags } : {}),
    ...(options.pinned ? { pinned: true } : {}),
  }
}

/** An id needs no agent to be loaded; another name, or a wrong one, does. */
async function agentId(name: string): Promise<string> {
  return loaders.has(name) ? name : (await import('../../agents/find.ts')).findAgent(name).id
}

/** The project to list; null for all. The current project is the default only if it has sessions. */
function scopeOf(
  catalog: Pick<SessionList, 'has'>,
  filter: SessionFilter,
  options: SessionsOptions,
  context: Context,
): string | null {
  const chosen = chosenProject(options, context)
  if (chosen !== undefined) return chosen
  if (listsAll(options, context.config)) return null
  const current = currentProject(context.io)
  return current !== null && catalog.has({ ...filter, project: current }) ? current : null
}

function chosenProject(options: SessionsOptions, { io, config }: Context): string | undefined {
  if (options.all && options.project !== undefined) {
    throw new IonError('usage', '--all and --project cannot be combined', { hint: 'use one of them' })
  }
  return options.project === undefined ? undefined : namedProject(options.project, config, io)
}

function listsAll({ all, project }: SessionsOptions, config: Config): boolean {
  return all || (config.all === true && project === undefined)
}

function merge(local: readonly SessionRow[], remote: readonly SessionRow[], limit: number | undefined): SessionRow[] {
  if (remote.length === 0) return local.slice(0, limit)
  const known = new Set(local.map((row) => row.id))
  return [...local, ...remote.filter((row) => !known.has(row.id))]
    .sort((a, b) => ((a.updated_at ?? '') < (b.updated_at ?? '') ? 1 : -1))
    .slice(0, limit)
}

/** A table that fits the terminal. In a pipe ids are not shortened. */
export function sessionTable(
  rows: readonly SessionRow[],
  shownId: (row: SessionRow) => string,
  withPath: boolean,
  { io, out }: Context,
): string[] {
  const colours = palette(out)
  const columns: Column<SessionRow>[] = [
    { title: 'agent', value: (row) => row.agent, paint: colours.accent, dropOrder: 1 },
    { title: 'id', value: shownId, paint: colours.faint },
    { title: 'age', value: (row) => ago(row.updated_at, io.now()), align: 'right' },
    { title: 'msgs', value: (row) => String(row.messages), align: 'right', dropOrder: 2 },
    ...(rows.some((row) => row.only_in_archive)
      ? [{ title: 'in', value: (row: SessionRow) => (row.only_in_archive ? 'archive' : '-'), paint: colours.warn }]
      : []),
    { title: 'title', value: (row) => listTitle(row, '-'), shrinkTo: 16 },
    {
      title: 'path',
      value: (row) => oneLine(tilde(row.cwd ?? '-', io)),
      paint: colours.faint,
      shrinkTo: withPath ? 16 : 8,
      dropOrder: 3,
    },
  ]
  return table(columns, rows, outputWidth({ io, out }), colours)
}
