import { statSync } from 'node:fs'
import { sep } from 'node:path'
import type { SessionHead } from '../events/session.ts'
import { storedPrompts } from './prompt.ts'
import type { LocatedSession, SessionLookup } from './session-lookup.ts'
import { readTaskFile } from './tasks.ts'

/** File systems and agents store coarse times. */
const SLACK_MS = 2500

/**
 * The sessions that may belong to a task whose ledger no longer says which: of the project, created since the task was,
 * and with one of its prompts if it had any. Only what the user or the task can have made: no sub-agents.
 */
export function findLostSessions(
  store: SessionLookup,
  folder: string,
  others: () => ReadonlySet<string>,
): LocatedSession[] {
  const task = readTaskFile(folder)
  if (!task) return []
  const prompts = storedPrompts(folder)
  const since = new Date(createdMs(folder, prompts[0]?.at) - SLACK_MS)
  const projects = [task.project, ...(task.moved_from ?? [])]
  const taken = others()
  const found = store.matching(since, (head) => isPossible(head, projects, since) && !taken.has(head.native_id))
  if (prompts.length === 0) return found
  return found.filter(({ head }) => prompts.some(({ text }) => store.countPrompt(head, text, 1) > 0))
}

/** When the task's folder was created, as far as file systems know; not after its first prompt. */
function createdMs(folder: string, firstPromptAt: string | undefined): number {
  const { birthtimeMs, mtimeMs } = statSync(folder)
  return Math.min(
    birthtimeMs || mtimeMs,
    firstPromptAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(firstPromptAt),
  )
}

function isPossible(head: SessionHead, projects: readonly string[], since: Date): boolean {
  const { cwd } = head
  if (head.parent_session || !head.resumable) return false
  if (cwd !== null && !projects.some((project) => cwd === project || cwd.startsWith(project + sep))) return false
  return head.created_at === null || Date.parse(head.created_at) >= since.getTime()
}
