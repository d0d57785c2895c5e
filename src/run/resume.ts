import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import type { SessionHead } from '../events/session.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { expectedDialogs } from './facts.ts'
import { type ComposedPlan, composePlan } from './plan.ts'
import { findProgram } from './program.ts'
import { realFolder, type Task, taskOf } from './task.ts'
import { hasSession, taskOfSession } from './tasks.ts'

interface StoredSession {
  readonly head: SessionHead
  /** The agent in whose store it is; Ion's archive has sessions of other agents. */
  readonly store: string
}

/** A session that can be resumed: in which agent, folder and task. */
export interface Resumable {
  readonly agent: Agent
  readonly cwd: string
  readonly task: Task
}

/** A session becomes a task named by its id, unless it already is one. Throws `refused` if it cannot be resumed. */
export function toResumable({ head, store }: StoredSession, io: Io): Resumable {
  const agent = findAgent(head.agent)
  const { id } = head
  if (store !== agent.id) {
    throw new IonError('refused', `session ${id} is only in Ion's archive`, {
      hint: `restore it first: ion restore ${id}; or read it: ion show ${id}`,
    })
  }
  if (!agent.start || !head.resumable) {
    throw new IonError('refused', `${agent.title} cannot resume session ${id}: ${agent.resume.note}`, {
      hint: `ion show ${id}`,
    })
  }
  if (head.cwd !== null && !existsSync(head.cwd)) {
    throw new IonError('not-found', `the folder of session ${id} does not exist any more: ${head.cwd}`, {
      hint: `mkdir -p ${head.cwd} creates it again; ion show ${id} reads the session`,
    })
  }
  const cwd = realFolder(head.cwd ?? io.cwd)
  const task = taskOfSession(agent.id, head.native_id, io) ?? newTask(agent, cwd, id, io)
  return { agent, cwd, task }
}

/** Named by the beginning of the id, or by all of it if a task of another session has that name. */
function newTask(agent: Agent, cwd: string, id: string, io: Io): Task {
  const task = taskOf(agent.id, cwd, id.slice(0, 8), io)
  return hasSession(task, io) ? taskOf(agent.id, cwd, id, io) : task
}

/** The plan to open a session in a terminal, sending nothing. Starts nothing. */
export async function planResume(stored: StoredSession, args: readonly string[], io: Io): Promise<ComposedPlan> {
  const { agent, cwd, task } = toResumable(stored, io)
  const { head } = stored
  const openIn = agent.live?.(io, [head.native_id]).get(head.native_id)
  if (openIn) {
    throw new IonError('refused', `session ${head.id} is open in another ${agent.title} (pid ${openIn})`, {
      hint: 'close it there',
    })
  }
  const program = await findProgram(agent, io)
  const dialogs = expectedDialogs(agent, { cwd, io, args })
  const session = { head, files: [head.path] }
  return composePlan(
    { decision: 'warm', reason: `session ${head.id}`, cwd, session, prompt: undefined, notes: [] },
    { agent, task, mode: 'terminal', program, args, io, agentapi: undefined, dialogs, fresh: randomUUID },
  )
}
