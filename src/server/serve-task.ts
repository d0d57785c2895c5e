import type { Agent } from '../agents/agent.ts'
import type { Size } from '../host/screen.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, type Lease, takeLease } from '../platform/lease.ts'
import { serverLease } from '../run/lease.ts'
import type { Task } from '../run/task.ts'
import { serverApp } from './app.ts'
import { Chat } from './chat.ts'
import { loadState, StateWriter } from './chat-state.ts'
import type { HandoverTarget, Replica } from './contract.ts'
import type { Documents } from './documents.ts'
import type { GuardOptions } from './guard.ts'
import { type Listening, listen } from './listen.ts'
import { registerServer, unregisterServer } from './registry.ts'
import { agentStarter } from './start-agent.ts'
import type { Token } from './token.ts'

export interface ServeOptions extends Omit<GuardOptions, 'port' | 'token'> {
  readonly agent: Agent
  readonly task: Task
  /** Undefined: none is required. */
  readonly token: Token | undefined
  readonly host: string
  readonly port: number
  /** If the port is taken, the next free one is used. */
  readonly mayMove: boolean
  readonly stateFile: string
  readonly loadsState: boolean
  readonly savesState: boolean
  /** The agent's first prompt, for the state file. */
  readonly prompt: string
  readonly documents: Documents
  readonly webFolder: string
  readonly version: string
  readonly io: Io
  /** For starting an agent that has ended again: the program, the user's folder, the terminal's size, the agent's arguments. */
  readonly program: string
  readonly cwd: string
  readonly size: Size | undefined
  readonly defaultArgs: readonly string[]
  /** How far the store is behind in which the task is kept; null if there is none. Asked again and again. */
  readonly replica: () => Replica | null
  /** The installed agents in which the session can be continued. */
  readonly handoverTargets: () => readonly HandoverTarget[]
}

export interface RunningServer {
  readonly port: number
  readonly url: string
  /** Saves the state first. The agent keeps running. */
  close(): Promise<void>
}

/** A session that takes longer to read is shown a moment after the server starts to answer. */
const FIRST_READ_MS = 5000
/** Another process keeps the replica, and writes how far it is. */
const REPLICA_MS = 1000

/** Serves a task until closed, whether its agent runs, ends or is started again. */
export async function serveTask(options: ServeOptions): Promise<RunningServer> {
  const { task } = options
  const lease = takeLease(serverLease(task.folder), { since: options.io.now().toISOString() })
  if (isHolder(lease)) {
    throw new IonError('refused', `this task is already being served (pid ${lease.pid})`, { hint: 'ion ps' })
  }
  try {
    return await serveWithLease(options, lease)
  } catch (error) {
    lease.release()
    throw error
  }
}

/** One server per task: two would write the same state file. */
async function serveWithLease(options: ServeOptions, lease: Lease): Promise<RunningServer> {
  const { agent, task, host, io, chatBasePath } = options
  const loaded = options.loadsState ? loadState(options.stateFile, io.now()) : undefined
  const chat = new Chat(agent, task, io, loaded?.how === 'loaded' ? loaded.state : undefined)
  if (loaded?.how === 'bad') {
    const saved = `the file was renamed to ${loaded.renamedTo}`
    chat.addError(`Failed to restore previous session: ${loaded.why}; ${saved}`, 'warning')
  }
  if (loaded?.how === 'loaded' && loaded.note) chat.addError(loaded.note, 'warning')
  const isRead = chat.begin()
  await Promise.race([isRead, new Promise((resolve) => setTimeout(resolve, FIRST_READ_MS).unref())])
  const lookAtReplica = (): void => void (chat.replica = options.replica())
  lookAtReplica()
  const startAgent = agentStarter(options)
  let listening: Listening
  try {
    listening = await listen(host, options.port, options.mayMove, (port) =>
      serverApp({ ...options, token: options.token?.token, port, chat, startAgent }),
    )
  } catch (error) {
    chat.close()
    throw error
  }
  // Not before the transcript was read: an incomplete state must not replace a complete one.
  const writer = options.savesState ? stateWriter(chat, options) : undefined
  let stopWriting = (): void => {}
  const writing = isRead.then(() => {
    if (writer) stopWriting = chat.onChange(() => writer.changed())
    writer?.changed()
  })
  const replicaTimer = setInterval(lookAtReplica, REPLICA_MS)
  const { port } = listening
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${chatBasePath}/embed`
  const { agent: name, name: taskName, project, folder } = task
  const started_at = io.now().toISOString()
  const token_file = options.token?.file ?? null
  registerServer({ agent: name, task: taskName, project, folder, host, port, url, token_file, started_at }, io)
  return {
    port,
    url,
    async close() {
      unregisterServer(folder, io)
      clearInterval(replicaTimer)
      await listening.close()
      stopWriting()
      chat.close()
      if (await isSettled(writing)) await writer?.close()
      lease.release()
    },
  }
}

/** Whether it is settled now. */
function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])
}

function stateWriter(chat: Chat, { stateFile, prompt }: ServeOptions): StateWriter {
  return new StateWriter(
    stateFile,
    () => chat.saved(prompt),
    (message) => chat.addError(message, 'warning'),
  )
}
