import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { addItem, startSummary } from '../agents/summarise.ts'
import type { Located } from '../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../catalog/session-row.ts'
import { isProblem, type Problem } from '../events/item.ts'
import type { SessionHead, Summary } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { paced } from '../platform/pace.ts'
import { projectOf } from '../platform/project.ts'

/** A session as an agent's store has it. */
export interface LocatedRow extends Located {
  readonly agent: Agent
}

/** The sessions of all stores without reading bodies, newest first by what their heads say. */
export async function findInStores(
  io: Io,
  signal: AbortSignal | undefined,
  onProblem: (problem: Problem) => void,
): Promise<LocatedRow[]> {
  const found: LocatedRow[] = []
  for await (const item of paced(walkStores(io), signal)) {
    if (isProblem(item)) onProblem(item)
    else found.push(item)
  }
  return found.sort((a, b) => ((a.head.updated_at ?? '') < (b.head.updated_at ?? '') ? 1 : -1))
}

function* walkStores(io: Io): Generator<LocatedRow | Problem> {
  const reading = readContext(io)
  for (const agent of agents) {
    for (const source of agent.sources(reading)) {
      if (isProblem(source)) yield source
      else
        for (const head of agent.heads(source, reading)) yield isProblem(head) ? head : { head, agent, store: agent.id }
    }
  }
}

/** Rows as the catalogue gives them, made by reading each session when it is asked for. Nothing is written anywhere. */
export async function* storeRows(
  io: Io,
  filter: SessionFilter,
  signal: AbortSignal | undefined,
  onProblem: (problem: Problem) => void,
): AsyncGenerator<SessionRow, void, undefined> {
  const found = await findInStores(io, signal, onProblem)
  // Of two copies of one session the newer, which comes first.
  const shown = new Set(found.filter(isOwn).map(keyOf))
  const copied = new Set(found.filter((one) => !isOwn(one)).map(keyOf))
  let left = filter.limit ?? Number.POSITIVE_INFINITY
  for (const one of found) {
    if (left <= 0) return
    if (!passes(one.head, filter) || (!isOwn(one) && shown.has(keyOf(one)))) continue
    shown.add(keyOf(one))
    const summary = startSummary()
    for await (const item of paced(one.agent.read(one.head, readContext(io)), signal)) addItem(summary, item)
    const row = rowOf(one.head, summary, copied.has(keyOf(one)), io)
    // A head may know only the file's time, which is later than what was said last.
    if (filter.since && (row.updated_at ?? '') < filter.since.toISOString()) continue
    left--
    yield row
  }
}

function isOwn({ head, store }: LocatedRow): boolean {
  return head.agent === store
}

function keyOf({ head }: LocatedRow): string {
  return `${head.agent} ${head.id}`
}

function passes(head: SessionHead, filter: SessionFilter): boolean {
  const { agents: wanted, project, since } = filter
  if (wanted?.length && !wanted.includes(head.agent)) return false
  if (project !== undefined && !isBelow(head.cwd === null ? null : projectOf(head.cwd), project)) return false
  if (since && (head.updated_at ?? '') < since.toISOString()) return false
  return (filter.hidden || !head.hidden) && (filter.subAgents || head.parent_session === undefined)
}

function isBelow(path: string | null, folder: string): boolean {
  return path === folder || path?.startsWith(folder.endsWith('/') ? folder : `${folder}/`) === true
}

function rowOf(head: SessionHead, summary: Summary, archived: boolean, io: Io): SessionRow {
  const adapter = agents.find((agent) => agent.id === head.agent)
  const created = [head.created_at, summary.created_at].filter((time) => time !== null).sort()
  const holder = adapter?.live?.(io, [head.native_id]).get(head.native_id)
  return {
    id: head.id,
    agent: head.agent,
    native_id: head.native_id,
    title: head.title ?? summary.first_prompt,
    cwd: head.cwd,
    project: head.cwd === null ? null : projectOf(head.cwd),
    created_at: created[0] ?? null,
    updated_at: summary.updated_at ?? head.updated_at,
    messages: summary.messages,
    tool_calls: summary.tool_calls,
    tokens: summary.tokens,
    model: summary.model ?? head.model,
    bytes: head.bytes,
    path: head.path,
    resumable: head.resumable,
    archived,
    live: holder === undefined ? null : holder !== false,
    problems: summary.problems,
    parent_session: head.parent_session ?? null,
    forked_from: head.forked_from ?? null,
    hidden: head.hidden === true,
  }
}
