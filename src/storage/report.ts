import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { archiveFolder, indexFile } from '../archive/archive-paths.ts'
import type { AgentOverview, Catalog, SessionTotals } from '../catalog/catalog.ts'
import { INDEX_FILE } from '../catalog/connection.ts'
import { catalogPath } from '../catalog/index-file.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { sumTotals } from '../catalog/sum-totals.ts'
import { isProblem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import type { FileStamp } from '../native/walk.ts'
import { ionHome, tasksFolder } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { tryListNames } from '../platform/list-dir.ts'
import { vaultFolder } from '../vault/vault-paths.ts'
import { DAY, deletionsOf, ruleOf, sooner } from './deletions.ts'
import { disksOf } from './disks.ts'
import type { AgentLine, DeletionLine, DiskLine, IonLine, ProjectLine, SessionLine } from './lines.ts'
import { measure } from './measure.ts'
import { countRestorable } from './restorable.ts'

/** The figures of `ion storage`, each list in the order in which it is shown. */
export interface StorageReport {
  /** False when only Ion's own data was asked for. */
  readonly ofAgents: boolean
  /** Of the agents that were asked for. */
  readonly totals: SessionTotals
  /** Of the sessions that are only in Ion's archive, those with an exact copy. */
  readonly restorable: number
  readonly agents: readonly AgentLine[]
  readonly projects: readonly ProjectLine[]
  readonly sessions: readonly SessionLine[]
  readonly deletions: readonly DeletionLine[]
  readonly disks: readonly DiskLine[]
  /** Empty when only agents were asked for. */
  readonly ion: readonly IonLine[]
}

/** Called while folders are measured: whose, and the number of files so far. */
export type OnMeasured = (title: string, files: number) => void

/** `chosen`: ids of agents, including Ion's own archive; empty for all. `catalog` must be up to date. */
export function storageReport(
  catalog: Catalog,
  chosen: readonly string[],
  io: Io,
  onMeasured: OnMeasured,
): StorageReport {
  const wanted = agents.filter((agent) => chosen.length === 0 || chosen.includes(agent.id))
  const archive = wanted.find((agent) => agent.isArchive)
  const asked = wanted.filter((agent) => !agent.isArchive)
  const overview = catalog.overview().filter(({ agent }) => asked.some(({ id }) => id === agent))
  const rows = asked.length === 0 ? [] : ownSessions(catalog, asked)
  const usages = asked
    .flatMap((agent) => usageOf(agent, rows, overview, io, onMeasured) ?? [])
    .sort((a, b) => b.line.disk_bytes - a.line.disk_bytes)
  const places = [
    ...usages.flatMap(({ agent, places: own }) => own.map((path) => ({ agent, path }))),
    ...(archive ? [{ agent: archive, path: ionHome(io) }] : []),
  ]
  return {
    ofAgents: asked.length > 0,
    totals: sumTotals(overview),
    restorable: countRestorable(overview, catalog, io),
    agents: usages.map(({ line }) => line),
    projects: projectsOf(rows, io),
    sessions: rows.map(sessionLine).sort((a, b) => b.bytes - a.bytes),
    deletions: usages.flatMap(({ deletions }) => deletions).sort(sooner),
    disks: disksOf(places.map(({ agent, path }) => ({ agent: agent.id, path, minimumBytes: agent.minimumBytes }))),
    ion: archive ? ionLines(io, (files) => onMeasured(archive.title, files)) : [],
  }
}

/** Sessions in the agents' stores; not those that exist only in Ion's archive. */
function ownSessions(catalog: Catalog, asked: readonly Agent[]): SessionRow[] {
  return catalog
    .sessions({ agents: asked.map(({ id }) => id), hidden: true, subAgents: true })
    .filter((row) => !row.only_in_archive)
}

interface AgentUsage {
  readonly agent: Agent
  /** Paths on the file systems that it uses. */
  readonly places: readonly string[]
  readonly line: AgentLine
  readonly deletions: readonly DeletionLine[]
}

/** Undefined when the agent has no data on this machine. */
function usageOf(
  agent: Agent,
  all: readonly SessionRow[],
  overview: readonly AgentOverview[],
  io: Io,
  onMeasured: OnMeasured,
): AgentUsage | undefined {
  const rows = all.filter((row) => row.agent === agent.id)
  const paths = agent
    .paths(io)
    .map(({ path }) => path)
    .filter((path) => existsSync(path))
  if (rows.length === 0 && paths.length === 0) return undefined
  const { bytes: disk_bytes, ...extent } = measure(paths, sessionFiles(agent, io), io, (files) =>
    onMeasured(agent.title, files),
  )
  const rule = agent.retention?.(io)
  const deletions = rule ? deletionsOf(rule, rows, io) : []
  const line: AgentLine = {
    kind: 'agent',
    agent: agent.id,
    title: agent.title,
    sessions: rows.filter(isListed).length,
    sub_agents: rows.filter(({ parent_session }) => parent_session !== null).length,
    hidden: rows.filter(({ parent_session, hidden }) => parent_session === null && hidden).length,
    only_in_archive: overview.find((one) => one.agent === agent.id)?.only_in_archive ?? 0,
    ...sizes(rows, io),
    disk_bytes,
    ...extent,
    paths,
    retention: rule ? ruleOf(rule, deletions) : null,
  }
  // Some agents store sessions only in the projects: then the newest session's file system counts.
  return { agent, places: paths.length > 0 ? paths : [rows[0]!.path], line, deletions }
}

/** By default: not those of sub-agents, and not those that were archived in the agent. */
function isListed({ parent_session, hidden }: SessionRow): boolean {
  return parent_session === null && !hidden
}

/** Sessions may be outside of the agent's folders, such as in the projects or behind a link. */
function* sessionFiles(agent: Agent, io: Io): Generator<FileStamp> {
  for (const source of agent.sources(readContext(io))) if (!isProblem(source)) yield* source.files
}

function projectsOf(rows: readonly SessionRow[], io: Io): ProjectLine[] {
  const groups = new Map<string | null, SessionRow[]>()
  for (const row of rows) {
    const group = groups.get(row.project)
    if (group) group.push(row)
    else groups.set(row.project, [row])
  }
  return [...groups]
    .map(
      ([project, own]): ProjectLine => ({
        kind: 'project',
        project,
        agents: [...new Set(own.map((row) => row.agent))].sort(),
        sessions: own.filter(isListed).length,
        ...sizes(own, io),
      }),
    )
    .sort((a, b) => b.bytes - a.bytes)
}

function sizes(rows: readonly SessionRow[], io: Io): Pick<AgentLine, 'bytes' | 'bytes_7d' | 'bytes_30d'> {
  const sum = (some: readonly SessionRow[]): number => some.reduce((bytes, row) => bytes + row.bytes, 0)
  const since = (days: number): number => {
    const from = io.now().getTime() - days * DAY
    return sum(rows.filter((row) => Date.parse(row.updated_at ?? '') >= from))
  }
  return { bytes: sum(rows), bytes_7d: since(7), bytes_30d: since(30) }
}

function sessionLine(row: SessionRow): SessionLine {
  const { id, agent, title, project, updated_at, bytes, path, archived } = row
  return { kind: 'session', id, agent, title, project, updated_at, bytes, path, archived }
}

/** The parts of Ion's home, all of them even if they do not exist. */
function ionLines(io: Io, onFile: (files: number) => void): IonLine[] {
  const home = ionHome(io)
  const paths = tryListNames(home).map((name) => join(home, name))
  const parts: readonly { readonly part: IonLine['part']; readonly path: string; readonly own: readonly string[] }[] = [
    { part: 'sessions', path: archiveFolder(io), own: [archiveFolder(io), indexFile(io)] },
    { part: 'vault', path: vaultFolder(io), own: [vaultFolder(io)] },
    { part: 'tasks', path: tasksFolder(io), own: [tasksFolder(io)] },
    { part: 'catalog', path: catalogPath(io), own: paths.filter((path) => INDEX_FILE.test(basename(path))) },
  ]
  const known = new Set(parts.flatMap(({ own }) => own))
  const rest = { part: 'other' as const, path: home, own: paths.filter((path) => !known.has(path)) }
  return [...parts, rest].map(({ part, path, own }) => ({ kind: 'ion', part, path, ...measure(own, [], io, onFile) }))
}
