import { existsSync } from 'node:fs'
import { catalogPath } from '../../catalog/index-file.ts'
import type { Identified } from '../../catalog/short-id.ts'
import { QUESTION } from '../../host/activity.ts'
import { type ActiveTask, activeTasks, hasFailed, isRunning, type TaskRow, taskRow } from '../../host/tasks.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { plain } from '../../platform/plain-text.ts'
import { type CurrentStatus, currentReplica } from '../../replica/status.ts'
import { runningWeb } from '../../server/browse/registry.ts'
import { knownServers, type ServerEntry } from '../../server/registry.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { ps } from '../definitions/running.ts'
import { replicaText } from '../replica-text.ts'
import { shownIds } from '../short-id.ts'
import { type Column, table } from '../table.ts'
import { outputWidth } from '../terminal.ts'
import { ago, fit, oneLine } from '../text.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'

/** A task, the address of its server, and how far its replica is. */
type PsRow = TaskRow & { readonly url: string | null; readonly replica: CurrentStatus | null }

export const run: Run<typeof ps> = async (_args, options, context) => {
  const { io, out, err } = context
  const servers = knownServers(io)
  const isListed = (at: ActiveTask): boolean => isRunning(at) || isServed(at, servers) || isNews(at, options.json, io)
  const tasks = activeTasks(io).filter((at) => options.all || isListed(at))
  const rows = await Promise.all(
    tasks.map(async (at): Promise<PsRow> => {
      const server = servers.find(({ folder }) => folder === at.task.folder)
      return { ...(await taskRow(at)), url: server?.url ?? null, replica: currentReplica(at.task.folder) ?? null }
    }),
  )
  if (options.json) {
    for (const row of rows) out.write(`${toJsonText(row)}\n`)
    return 'ok'
  }
  if (rows.length === 0) {
    err.write(`${options.all ? 'no task yet: ion run <agent> "what to do"' : 'no task is running'}\n`)
    noteWeb(context)
    return 'ok'
  }
  const colours = palette(out)
  const shownId = await shownSessions(rows, context)
  const columns: Column<PsRow>[] = [
    { title: 'agent', value: (row) => row.agent, paint: colours.accent },
    { title: 'task', value: (row) => oneLine(row.task), shrinkTo: 8 },
    {
      title: 'state',
      value: stateOf,
      shrinkTo: 36,
      paint: (text, row) => (row.waiting_for === null && row.state !== 'failed' ? text : colours.warn(text)),
    },
    { title: 'mode', value: (row) => row.way ?? '-', dropOrder: 1 },
    { title: 'since', value: (row) => ago(row.since, io.now()), align: 'right' },
    { title: 'pid', value: (row) => String(row.pid ?? row.agent_pid ?? '-'), align: 'right', dropOrder: 2 },
    {
      title: 'session',
      value: (row) => (row.session_id === null ? '-' : shownId({ agent: row.agent, id: row.session_id })),
    },
    ...(rows.some(({ url }) => url !== null)
      ? [{ title: 'url', value: ({ url }: PsRow) => url ?? '-', dropOrder: 3 }]
      : []),
    ...(rows.some(({ replica }) => replica !== null)
      ? [
          {
            title: 'replica',
            value: ({ replica }: PsRow) => (replica ? replicaText(replica, io.now()) : '-'),
            shrinkTo: 12,
          },
        ]
      : []),
    { title: 'project', value: (row) => oneLine(tilde(row.project, io)), shrinkTo: 12 },
  ]
  out.write(`${table(columns, rows, outputWidth({ io, out }), colours).join('\n')}\n`)
  noteWeb(context)
  return 'ok'
}

/** It is not a task, but is easily forgotten after --detach. */
function noteWeb({ io, err }: Context): void {
  const web = runningWeb(io)
  if (web) err.write(`${palette(err).faint(`ion web is running at ${plain(web.url)}; ion web --stop ends it`)}\n`)
}

/** In full if there is no index yet: this command must not wait until all sessions are read. */
async function shownSessions(rows: readonly PsRow[], context: Context): Promise<(session: Identified) => string> {
  const sessions = rows.flatMap(({ agent, session_id: id }) => (id === null ? [] : [{ agent, id }]))
  if (!context.out.isTTY || !existsSync(catalogPath(context.io))) return ({ id }) => id
  return withCatalog(context, (catalog) => {
    refreshed(catalog, context)
    return shownIds(sessions, catalog, context.out)
  })
}

/** Also if its agent has ended: the chat can still be read. */
function isServed({ task }: ActiveTask, servers: readonly ServerEntry[]): boolean {
  return servers.some(({ folder }) => folder === task.folder)
}

const NEWS_MS = 24 * 60 * 60 * 1000

/** A recent failure is not overlooked. Programs get it only with --all: what --json lists otherwise is running. */
function isNews(at: ActiveTask, json: boolean, io: Context['io']): boolean {
  return !json && hasFailed(at) && io.now().getTime() - Date.parse(at.state.lastAt ?? '') < NEWS_MS
}

/** Of a question, in columns. */
const MAX_QUESTION = 60

function stateOf({ state, waiting_for, question, exit, prompt_due }: TaskRow): string {
  if (waiting_for === QUESTION && question) return `waiting for you: ${fit(oneLine(question), MAX_QUESTION)}`
  if (waiting_for !== null) return `waiting for you: ${waiting_for} dialog`
  if (state === 'failed') return `failed (${exit ?? 'killed'})${prompt_due ? ', prompt still due' : ''}`
  if (state === 'ended') return exit === null ? 'ended' : `ended (${exit})`
  return state
}
