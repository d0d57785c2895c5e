import type { Socket } from 'node:net'
import { DRAWN_MS, OPENING_MS, WAITING_MS } from './activity.ts'
import type { HostAnswer } from './host.ts'
import { messageFrame } from './wire.ts'

/** Sent to watchers whenever it changes, as the message `view`. */
export interface HostState extends HostAnswer {
  /** The visible text of the terminal. */
  readonly screen: string
}

interface Observation {
  /** Since the agent last printed something. */
  readonly quietMs: number
  readonly answer: HostAnswer
  readonly screen: string
}

/** Output within this time is sent together. */
const DEBOUNCE_MS = 40
/** A watcher with more unread bytes gets nothing until it has read them: the next view has everything it needs. */
const MAX_UNREAD = 256 * 1024

/** Clients that follow the agent's state without a terminal, such as the HTTP server. */
export class HostWatchers {
  readonly #observe: () => Promise<Observation>
  /** By socket, what each was sent last. */
  readonly #watchers = new Map<Socket, string>()
  #timer: NodeJS.Timeout | undefined
  #isIdleCheck = false

  constructor(observe: () => Promise<Observation>) {
    this.#observe = observe
  }

  add(socket: Socket): void {
    this.#watchers.set(socket, '')
    socket.once('close', () => this.#watchers.delete(socket))
    void this.#send()
  }

  /** The agent printed something, started or ended. */
  touched(): void {
    if (this.#watchers.size === 0 || (this.#timer && !this.#isIdleCheck)) return
    this.#sendIn(DEBOUNCE_MS, false)
  }

  /** Sends a last message to all of them. */
  end(message: object): void {
    clearTimeout(this.#timer)
    for (const socket of this.#watchers.keys()) socket.end(messageFrame(message))
    this.#watchers.clear()
  }

  /** `isIdleCheck`: only to see whether the agent is still quiet; output takes precedence. */
  #sendIn(ms: number, isIdleCheck: boolean): void {
    clearTimeout(this.#timer)
    this.#isIdleCheck = isIdleCheck
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#send()
    }, ms)
  }

  async #send(): Promise<void> {
    const { quietMs, answer, screen } = await this.#observe()
    const view: HostState = { ...answer, screen }
    const text = JSON.stringify(view)
    for (const [socket, sent] of this.#watchers) {
      if (sent === text || socket.writableLength > MAX_UNREAD) continue
      this.#watchers.set(socket, text)
      socket.write(messageFrame({ type: 'view', ...view }))
    }
    const next = [DRAWN_MS, WAITING_MS, OPENING_MS].find((limit) => quietMs < limit)
    if (next !== undefined && this.#watchers.size > 0 && !this.#timer) this.#sendIn(next - quietMs + 5, true)
  }
}
