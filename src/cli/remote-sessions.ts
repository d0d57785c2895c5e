import { agents } from '../agents/_registry.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Located } from '../catalog/read-session.ts'
import { type SessionFilter, type SessionRow, withMarks } from '../catalog/session-row.ts'
import { isProblem } from '../events/item.ts'
import { noTokens, type SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { AllMarks } from '../organise/marks.ts'
import { readMarks } from '../organise/read-marks.ts'
import type { Io } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { isWithin, projectOf } from '../platform/project.ts'
import type { Context } from './command.ts'

/** Sessions stored on the agents' servers. Runs the agents' CLIs, so only on request. */
export function remoteSessions(filter: SessionFilter, io: Io, onProblem: (problem: string) => void): SessionRow[] {
  const marks = readMarks(io)
  return locateRemote(io, onProblem)
    .filter(({ head }) => !filter.agents || filter.agents.includes(head.agent))
    .map(({ head }) => rowOf(head, marks))
    .filter((row) => passes(row, filter))
}

/** The index together with sessions stored on the agents' servers, which are found and read like any other. */
export function withRemote(catalog: Catalog, { io, err }: Context): Catalog {
  const marks = readMarks(io)
  const sessions = locateRemote(io, (problem) => err.write(`ion: ${plain(problem)}\n`))
  const names = ({ head }: Located, reference: string): boolean =>
    [head.id, head.native_id].some((id) => id === reference || (reference.length >= 4 && id.startsWith(reference)))
  return {
    ...catalog,
    find(reference) {
      const found = sessions.filter((session) => names(session, reference))
      return found.length === 1 ? rowOf(found[0]!.head, marks) : catalog.find(reference)
    },
    locate(row) {
      return sessions.find(({ head }) => head.id === row.id && head.path === row.path) ?? catalog.locate(row)
    },
  }
}

function locateRemote(io: Io, onProblem: (problem: string) => void): Located[] {
  const reading = readContext(io)
  const sessions: Located[] = []
  for (const agent of agents) {
    for (const head of agent.remote?.(reading) ?? []) {
      if (isProblem(head)) onProblem(`${agent.id}: ${head.problem}`)
      else sessions.push({ head, reader: agent })
    }
  }
  return sessions
}

/** What the agent's list does not contain is zero or null, as for any session that was not read yet. */
function rowOf(head: SessionHead, marks: AllMarks): SessionRow {
  const row = {
    id: head.id,
    agent: head.agent,
    native_id: head.native_id,
    title: head.title,
    cwd: head.cwd,
    project: head.cwd === null ? null : projectOf(head.cwd),
    created_at: head.created_at,
    updated_at: head.updated_at,
    messages: 0,
    tool_calls: 0,
    tokens: noTokens,
    model: head.model,
    bytes: head.bytes,
    path: head.path,
    resumable: head.resumable,
    archived: false,
    only_in_archive: false,
    live: null,
    problems: 0,
    parent_session: head.parent_session ?? null,
    forked_from: head.forked_from ?? null,
    hidden: head.hidden === true,
  }
  return withMarks(row, marks.get(head))
}

function passes(row: SessionRow, { project, since, hidden, subAgents, tags, pinned }: SessionFilter): boolean {
  if (project !== undefined && !isWithin(row.project, project)) return false
  if (since && (row.updated_at ?? '') < since.toISOString()) return false
  if (tags?.length && !tags.some((tag) => row.tags.includes(tag))) return false
  if (pinned && !row.pinned) return false
  return (hidden || !row.hidden) && (subAgents || row.parent_session === null)
}
