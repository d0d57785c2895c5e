import { existsSync } from 'node:fs'
import { sep } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { isProblem } from '../../../events/item.ts'
import { readContext } from '../../../native/read-context.ts'
import type { FileStamp } from '../../../native/walk.ts'
import { ionHome } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { DAY } from './days.ts'
import { deletionsOf, ruleOf, sooner } from './deletions.ts'
import { disksOf } from './disks.ts'
import { ionLines } from './ion-home.ts'
import type { AgentLine, DeletionLine, DiskLine, IonLine, ProjectLine, SessionLine } from './lines.ts'
import { measure } from './measure.ts'

/** All there is to tell, each part in the order in which it is shown. */
export interface Report {
  /** False when only Ion's own was asked for. */
  readonly ofAgents: boolean
  readonly agents: readonly AgentLine[]
  readonly projects: readonly ProjectLine[]
  readonly sessions: readonly SessionLine[]
  readonly deletions: readonly DeletionLine[]
  readonly disks: readonly DiskLine[]
  /** Nothing when only agents were asked for. */
  readonly ion: readonly IonLine[]
}

/** Told while folders are measured: of whom, and how many files so far. */
export type OnMeasured = (title: string, files: number) => void

/** `chosen`: ids of agents, Ion's own archive among them; none for all. The catalogue is up to date. */
export function gather(catalog: Catalog, chosen: readonly string[], io: Io, onMeasured: OnMeasured): Report {
  const wanted = agents.filter((agent) => chosen.length === 0 || chosen.includes(agent.id))
  const archive = wanted.find((agent) => agent.isArchive)
  const asked = wanted.filter((agent) => !agent.isArchive)
  const rows = asked.length === 0 ? [] : ownSessions(catalog, asked, io)
  const looked = asked
    .flatMap((agent) => lookAt(agent, rows, io, onMeasured) ?? [])
    .sort((a, b) => b.line.disk_bytes - a.line.disk_bytes)
  const places = [
    ...looked.flatMap(({ agent, places: own }) => own.map((path) => ({ agent, path }))),
    ...(archive ? [{ agent: archive, path: ionHome(io) }] : []),
  ]
  return {
    ofAgents: asked.length > 0,
    agents: looked.map(({ line }) => line),
    projects: projectsOf(rows, io),
    sessions: rows.map(sessionLine).sort((a, b) => b.bytes - a.bytes),
    deletions: looked.flatMap(({ deletions }) => deletions).sort(sooner),
    disks: disksOf(places.map(({ agent, path }) => ({ agent: agent.id, path, minimumBytes: agent.minimumBytes }))),
    ion: archive ? ionLines(io, (files) => onMeasured(archive.title, files)) : [],
  }
}

/** Sessions in the agents' stores. Those of which only Ion's copy is left take no room there and cannot be deleted. */
function ownSessions(catalog: Catalog, asked: readonly Agent[], io: Io): SessionRow[] {
  const archives = agents.filter((agent) => agent.isArchive).flatMap((agent) => agent.paths(io))
  const isCopy = ({ path }: SessionRow): boolean => archives.some((archive) => path.startsWith(archive.path + sep))
  return catalog
    .sessions({ agents: asked.map(({ id }) => id), hidden: true, subAgents: true })
    .filter((row) => !isCopy(row))
}

interface Looked {
  readonly agent: Agent
  /** Where its disk is. */
  readonly places: readonly string[]
  readonly line: AgentLine
  readonly deletions: readonly DeletionLine[]
}

/** Undefined when there is nothing of the agent on this machine. */
function lookAt(agent: Agent, all: readonly SessionRow[], io: Io, onMeasured: OnMeasured): Looked | undefined {
  const rows = all.filter((row) => row.agent === agent.id)
  const paths = agent
    .paths(io)
    .map(({ path }) => path)
    .filter((path) => existsSync(path))
  if (rows.length === 0 && paths.length === 0) return undefined
  const extent = measure(paths, sessionFiles(agent, io), io, (files) => onMeasured(agent.title, files))
  const rule = agent.retention?.(io)
  const deletions = rule ? deletionsOf(rule, rows, io) : []
  const line: AgentLine = {
    kind: 'agent',
    agent: agent.id,
    title: agent.title,
    sessions: rows.length,
    ...sizes(rows, io),
    disk_bytes: extent.bytes,
    files: extent.files,
    unreadable: extent.unreadable,
    complete: extent.complete,
    paths,
    retention: rule ? ruleOf(rule, deletions) : null,
  }
  // Some keep sessions in the projects only: then the disk is that of the newest.
  return { agent, places: paths.length > 0 ? paths : [rows[0]!.path], line, deletions }
}

/** Sessions may lie outside of the agent's folders, as in the projects themselves, or behind a link. */
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
        sessions: own.length,
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
