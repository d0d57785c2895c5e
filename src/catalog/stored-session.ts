import type { Agent } from '../agents/agent.ts'
import type { TokenUsage } from '../events/event.ts'
import type { SessionHead } from '../events/session.ts'
import type { Marks } from '../organise/marks.ts'
import { IonError } from '../platform/error.ts'
import type { ArchivedLog, Located } from './read-session.ts'
import { type SessionRow, withMarks } from './session-row.ts'

/** A row of the view `session`: numbers for booleans, one column for each kind of token. */
export interface StoredSession
  extends Omit<SessionRow, 'tokens' | 'resumable' | 'hidden' | 'archived' | 'only_in_archive' | 'live' | keyof Marks>,
    TokenUsage {
  readonly key: number
  /** The agent whose store it is in. */
  readonly store: string
  readonly resumable: number
  readonly hidden: number
  readonly revision: string
  readonly head: string
}

/** The columns of a session, of the table and of the view; see schema.ts. */
export const sessionColumns = [
  'source', 'store', 'id', 'agent', 'native_id', 'title', 'cwd', 'project', 'created_at', 'updated_at',
  'messages', 'tool_calls', 'input', 'output', 'cache_read', 'cache_write', 'reasoning', 'model', 'bytes', 'path',
  'resumable', 'problems', 'parent_session', 'forked_from', 'hidden', 'revision', 'head', 'scan',
] as const // biome-ignore format: a list

export type SessionColumn = (typeof sessionColumns)[number]

/** Those of a StoredSession. */
export const storedColumns: string = ['key', ...sessionColumns]
  .filter((name) => name !== 'source' && name !== 'scan')
  .join(', ')

export function rowOf(
  stored: StoredSession,
  found: { archived: boolean; live: boolean | null },
  marks: Marks,
): SessionRow {
  const row = {
    id: stored.id,
    agent: stored.agent,
    native_id: stored.native_id,
    title: stored.title,
    cwd: stored.cwd,
    project: stored.project,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
    messages: stored.messages,
    tool_calls: stored.tool_calls,
    tokens: {
      input: stored.input,
      output: stored.output,
      cache_read: stored.cache_read,
      cache_write: stored.cache_write,
      reasoning: stored.reasoning,
    },
    model: stored.model,
    bytes: stored.bytes,
    path: stored.path,
    resumable: stored.resumable === 1,
    archived: found.archived,
    only_in_archive: stored.store !== stored.agent,
    live: found.live,
    problems: stored.problems,
    parent_session: stored.parent_session,
    forked_from: stored.forked_from,
    hidden: stored.hidden === 1,
  }
  return withMarks(row, marks)
}

/** The head as the adapter gave it, and that adapter, which must be one of `agents`. */
export function locatedOf(stored: StoredSession, agents: readonly Agent[]): Located {
  const { store, parent_session, forked_from } = stored
  const reader = agents.find(({ id }) => id === store)
  if (!reader) throw new IonError('not-found', `unknown agent "${store}"`)
  const head: SessionHead = {
    id: stored.id,
    agent: stored.agent,
    native_id: stored.native_id,
    path: stored.path,
    title: stored.title,
    cwd: stored.cwd,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
    model: stored.model,
    bytes: stored.bytes,
    revision: stored.revision,
    resumable: stored.resumable === 1,
    ...(parent_session === null ? {} : { parent_session }),
    ...(forked_from === null ? {} : { forked_from }),
    ...(stored.hidden === 1 ? { hidden: true } : {}),
    ...(JSON.parse(stored.head) as Pick<SessionHead, 'agent_version' | 'format'>),
  }
  return { head, reader }
}

/** The same for a session of the archive. */
export function archivedLogOf(stored: StoredSession, agents: readonly Agent[]): ArchivedLog {
  return { ...locatedOf(stored, agents), messages: stored.messages, tool_calls: stored.tool_calls }
}

/**
 * SQL condition that excludes Ion's copy of a session that its agent still has, and the older of two copies: an earlier
 * version of Ion started another log when the folder of a session changed.
 */
export const NOT_A_COPY = `NOT (store <> agent AND EXISTS (SELECT 1 FROM session AS other
  WHERE other.id = session.id AND other.agent = session.agent AND (other.store = other.agent
    OR (ifnull(other.updated_at, ''), other.key) > (ifnull(session.updated_at, ''), session.key))))`
