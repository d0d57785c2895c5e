import { isCount, isText, isTextOrNull } from '../vault/validate.ts'
import type { About } from './log/record.ts'

/** What an image says about its task. */
export interface ImageAbout {
  readonly agent: string
  readonly name: string
  readonly project: string
  /** The user's home there: paths below it are others here. */
  readonly home: string
  /** Null until the agent has created the session. */
  readonly session: ImageSession | null
}

export interface ImageSession {
  readonly native_id: string
  readonly cwd: string | null
  readonly agent_version: string | null
}

/** How the names of parts of a session begin, and those of prompts. */
export const SESSION_PARTS = 'session/'
export const PROMPT_PARTS = 'task/prompts/'
export const LEDGER_PART = 'task/ledger.jsonl'

/** Where a part of an image belongs: a file in the task's folder, or a part of the session in the agent's store. */
export type PartAbout = { readonly of: 'task'; readonly path: string } | ({ readonly of: 'session' } & SessionPart)

export type SessionPart =
  | { readonly kind: 'rows'; readonly root: string; readonly path: string }
  | {
      readonly kind: 'file'
      readonly root: string
      readonly path: string
      readonly form: 'lines' | 'whole' | 'database'
      readonly mode: number
      readonly shared?: true
    }

/** Undefined for what no Ion has written. */
export function readImageAbout(about: About): ImageAbout | undefined {
  const { agent, name, project, home, session } = about
  const { native_id, cwd, agent_version } = Object(session) as Record<string, unknown>
  const hasSession = session === null || (isText(native_id) && isTextOrNull(cwd) && isTextOrNull(agent_version))
  return [agent, name, project, home].every(isText) && hasSession ? (about as unknown as ImageAbout) : undefined
}

/** The files of a task that a start on another machine needs; not its token, sockets, pids and leases, which are of this one. */
export const TASK_FILES =
  /^(?:ledger\.jsonl|answers\.jsonl|session\.json|task\.json|agentapi-state\.json|prompts\/[0-9a-f]{16}\.txt)$/

/** Undefined for what no Ion has written, or would write here. */
export function readPartAbout(about: About): PartAbout | undefined {
  const { of, kind, root, path, form, mode, shared } = about
  if (!isText(path)) return undefined
  if (of === 'task') return TASK_FILES.test(path) ? { of, path } : undefined
  if (of !== 'session' || !isText(root)) return undefined
  if (kind === 'rows') return { of, kind, root, path }
  if (kind !== 'file' || !isCount(mode) || !(form === 'lines' || form === 'whole' || form === 'database'))
    return undefined
  return { of, kind, root, path, form, mode: mode & 0o777, ...(shared === true ? { shared } : {}) }
}
