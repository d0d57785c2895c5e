import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, takeLease } from '../platform/lease.ts'
import type { Task } from '../run/task.ts'
import { serverApp } from './app.ts'
import { Chat } from './chat.ts'
import type { Documents } from './documents.ts'
import type { GuardOptions } from './guard.ts'
import { type Listening, listen } from './listen.ts'
import { registerServer, unregisterServer } from './registry.ts'
import { loadState } from './state-file.ts'
import { StateKeeper } from './state-writer.ts'

export interface ServeOptions extends Omit<GuardOptions, 'port'> {
  readonly agent: Agent
  readonly task: Task
  readonly host: string
  readonly port: number
  /** Where that port is taken, the next free one will do. */
  readonly mayMove: boolean
  readonly stateFile: string
  readonly loadsState: boolean
  readonly savesState: boolean
  /** The prompt that the agent was given, for the state file. */
  readonly prompt: string
  readonly documents: Documents
  readonly webFolder: string
  readonly version: string
  readonly io: Io
}

export interface RunningServer {
  readonly port: number
  readonly url: string
  /** The last state is on the disk when this is done. The agent goes on. */
  close(): Promise<void>
}

/** A large session is shown a moment after the server answers. */
const FIRST_LOOK_MS = 5000

/** Serves a task until it is closed, whether its agent runs, ends or is started again. */
export async function serveTask(options: ServeOptions): Promise<RunningServer> {
  const { task } = options
  const lease = takeLease(join(task.folder, 'server'), {})
  if (isHolder(lease)) {
    throw new IonError('refused', `this task is served already (pid ${lease.pid})`, { hint: 'ion ps' })
  }
  try {
    return await serveHeld(options, lease)
  } catch (error) {
    lease.release()
    throw error
  }
}

/** One server at a time for a task: two would write the same state. */
async function serveHeld(options: ServeOptions, lease: Lease): Promise<RunningServer> {
  const { agent, task, host, io, chatBasePath } = options
  const loaded = options.loadsState ? loadState(options.stateFile, io.now()) : undefined
  const chat = new Chat(agent, task, io, loaded?.how === 'loaded' ? loaded.state : undefined)
  if (loaded?.how === 'bad') {
    const kept = `the file is kept as ${loaded.asideAs}`
    chat.addError(`Failed to restore previous session: ${loaded.why}; ${kept}`, 'warning')
  }
  if (loaded?.how === 'loaded' && loaded.note) chat.addError(loaded.note, 'warning')
  const begun = chat.begin()
  await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS).unref())])
  let listening: Listening
  try {
    listening = await listen(host, options.port, options.mayMove, (port) => serverApp({ ...options, port, chat }))
  } catch (error) {
    chat.close()
    throw error
  }
  // Not before the transcript was read: a state that knows less must not replace one that knows more.
  const keeper = options.savesState ? keeperOf(chat, options) : undefined
  let stopKeeping = (): void => {}
  const keeping = begun.then(() => {
    if (keeper) stopKeeping = chat.onChange(() => keeper.changed())
    keeper?.changed()
  })
  const { port } = listening
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${chatBasePath}/embed`
  const { agent: name, name: taskName, project, folder } = task
  const started_at = io.now().toISOString()
  registerServer({ agent: name, task: taskName, project, folder, host, port, url, started_at }, io)
  return {
    port,
    url,
    async close() {
      unregisterServer(folder, io)
      await listening.close()
      stopKeeping()
      chat.close()
      if (await isOver(keeping)) await keeper?.close()
      lease.release()
    },
  }
}

/** Whether it is done now. */
function isOver(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])
}

function keeperOf(chat: Chat, { stateFile, prompt }: ServeOptions): StateKeeper {
  return new StateKeeper(
    stateFile,
    () => chat.saved(prompt),
    (trouble) => chat.addError(trouble, 'warning'),
  )
}
