import { agents } from '../../agents/_registry.ts'
import { activeTasks, isRunning, type TaskRow, taskRow } from '../../host/tasks.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Io } from '../../platform/io.ts'
import type { Task } from '../../run/task.ts'
import type { LiveState } from './contract.ts'

/** Asking every host for each list would be too much; a state is not older than this. */
const KNOWN_MS = 1000
/** An agent that wrote so recently is at work. */
const RECENT_MS = 60_000

interface Listed {
  readonly id: string
  readonly agent: string
  readonly native_id: string
  readonly updated_at: string | null
}

/** A task that Ion runs, by the key in the address of its chat. */
export interface LiveTask {
  readonly key: string
  readonly task: Task
  readonly row: TaskRow
}

/** Which sessions are used now: by Ion's own tasks, by an agent's other processes, or because something was just written. */
export class LiveStates {
  readonly #io: Io
  #tasks: Promise<readonly LiveTask[]> | undefined
  #askedAt = 0

  constructor(io: Io) {
    this.#io = io
  }

  tasks(): Promise<readonly LiveTask[]> {
    if (!this.#tasks || performance.now() - this.#askedAt > KNOWN_MS) {
      this.#askedAt = performance.now()
      this.#tasks = runningTasks(this.#io).catch(() => [])
    }
    return this.#tasks
  }

  /** By id, of those that are live. */
  async of(sessions: readonly Listed[]): Promise<ReadonlyMap<string, LiveState>> {
    const tasks = new Map(
      (await this.tasks()).flatMap((one) => (one.row.session_id ? [[one.row.session_id, one]] : [])),
    )
    const holders = this.#holders(sessions)
    const now = this.#io.now().getTime()
    const states = new Map<string, LiveState>()
    for (const session of sessions) {
      const task = tasks.get(session.id)
      const state = task ? taskState(task) : otherState(session, holders.get(session.id), now)
      if (state) states.set(session.id, state)
    }
    return states
  }

  /** The processes of agents that leave a trace of them, by session. */
  #holders(sessions: readonly Listed[]): ReadonlyMap<string, number | false> {
    const found = new Map<string, number | false>()
    for (const agent of agents) {
      const own = agent.live ? sessions.filter((session) => session.agent === agent.id) : []
      if (own.length === 0) continue
      const live = agent.live!(
        this.#io,
        own.map(({ native_id }) => native_id),
      )
      for (const { id, native_id } of own) {
        const holder = live.get(native_id)
        if (holder !== undefined) found.set(id, holder)
      }
    }
    return found
  }
}

async function runningTasks(io: Io): Promise<readonly LiveTask[]> {
  const running = activeTasks(io).filter(isRunning)
  return Promise.all(running.map(async (at) => ({ key: taskKey(at.task), task: at.task, row: await taskRow(at) })))
}

/** For an address: the folder's own name is long and has the path of the project. */
function taskKey({ folder }: Task): string {
  return hash53(folder).toString(36)
}

function taskState({ key, row }: LiveTask): LiveState {
  const { state, question, asks, task: name, way } = row
  if (question !== null || asks !== null) return { state: 'waiting', why: `asks: ${question ?? asks}`, task: key }
  const where = `task ${name}, ${way === 'detached' ? 'in the background' : 'in a terminal'}`
  if (state === 'working') return { state: 'working', why: where, task: key }
  if (state === 'waiting') return { state: 'waiting', why: `ready for input: ${where}`, task: key }
  const why = state === 'running' ? where : `${state}: ${where}`
  return { state: 'open', why, ...(way === 'detached' ? { task: key } : {}) }
}

/** In words that stay the same while nothing happens: a page that follows gets each change. */
function otherState({ updated_at }: Listed, holder: number | false | undefined, now: number): LiveState | undefined {
  if (holder === false) return undefined
  const isRecent = updated_at !== null && Math.abs(now - Date.parse(updated_at)) < RECENT_MS
  const wrote = 'wrote in the last minute'
  if (holder === undefined) return isRecent ? { state: 'working', why: wrote } : undefined
  const open = `open in process ${holder}`
  return isRecent ? { state: 'working', why: `${wrote}, ${open}` } : { state: 'open', why: open }
}
