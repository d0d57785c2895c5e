import type { HttpBindings } from '@hono/node-server'
import { findAgent } from '../../agents/find.ts'
import { handoverTargets } from '../../handover/targets.ts'
import type { Io } from '../../platform/io.ts'
import { type ServerApp, serverApp } from '../app.ts'
import { Chat } from '../chat.ts'
import { workerDocuments } from '../documents.ts'
import { agentStarter } from '../start-agent.ts'
import type { LiveStates, LiveTask } from './live-states.ts'

export interface LiveChatOptions {
  readonly io: Io
  readonly port: number
  readonly allowedHosts: readonly string[]
  readonly webFolder: string
  readonly workerFile: string
  readonly version: string
  /** The installed program, `ion.cjs`. */
  readonly program: string
}

const IDLE_MS = 10 * 60_000
/** A session that takes longer to read is shown a moment later. */
const FIRST_READ_MS = 3000

interface Mounted {
  readonly chat: Chat
  readonly server: ServerApp
  readonly ready: Promise<unknown>
  /** Requests under way, among them streams. */
  open: number
  usedAt: number
}

/** The chats of tasks that Ion runs, as `ion serve` has them, each from the first request on until nobody uses it any more. */
export class LiveChats {
  readonly #options: LiveChatOptions
  readonly #live: LiveStates
  readonly #mounted = new Map<string, Mounted>()
  readonly #timer: NodeJS.Timeout

  constructor(options: LiveChatOptions, live: LiveStates) {
    this.#options = options
    this.#live = live
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 10).unref()
  }

  /** The answer of the task's own server to a request with this path. Undefined if Ion runs no such task. */
  async answer(key: string, path: string, request: Request, env: HttpBindings): Promise<Response | undefined> {
    const mounted = this.#mounted.get(key) ?? (await this.#mount(key))
    if (!mounted) return undefined
    mounted.usedAt = performance.now()
    mounted.open++
    env.outgoing.once('close', () => {
      mounted.open--
      mounted.usedAt = performance.now()
    })
    await mounted.ready
    const { method, headers } = request
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: await request.arrayBuffer() }
    return mounted.server.app.fetch(new Request(new URL(path, request.url), { method, headers, ...body }), env)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const key of [...this.#mounted.keys()]) this.#drop(key)
  }

  async #mount(key: string): Promise<Mounted | undefined> {
    const found = (await this.#live.tasks()).find((one) => one.key === key)
    // Another request may have mounted it meanwhile.
    const known = this.#mounted.get(key)
    if (known || !found) return known
    const mounted = this.#create(found)
    this.#mounted.set(key, mounted)
    return mounted
  }

  #create({ task }: LiveTask): Mounted {
    const { io, port, allowedHosts, webFolder, workerFile, version, program } = this.#options
    const agent = findAgent(task.agent)
    const chat = new Chat(agent, task, io, undefined)
    const begun = chat.begin()
    const server = serverApp({
      chat,
      io,
      port,
      allowedHosts,
      webFolder,
      version,
      allowedOrigins: [],
      // Who gets here has the cookie of this server.
      token: undefined,
      chatBasePath: '/chat',
      documents: workerDocuments(task, io, workerFile),
      startAgent: agentStarter({ agent, task, cwd: task.project, program, size: undefined, defaultArgs: [] }),
      handoverTargets: () =>
        handoverTargets(io).flatMap(({ id, title }) => (id === agent.id ? [] : [{ agent: id, title }])),
    })
    const ready = Promise.race([begun, new Promise((resolve) => setTimeout(resolve, FIRST_READ_MS).unref())])
    return { chat, server, ready, open: 0, usedAt: performance.now() }
  }

  #closeIdle(): void {
    for (const [key, { open, usedAt }] of this.#mounted) {
      if (open === 0 && performance.now() - usedAt > IDLE_MS) this.#drop(key)
    }
  }

  #drop(key: string): void {
    const mounted = this.#mounted.get(key)
    this.#mounted.delete(key)
    mounted?.server.close()
    mounted?.chat.close()
  }
}
