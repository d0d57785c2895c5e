import type { Socket } from 'node:net'
import { DRAWN_MS, WAITING_MS } from './activity.ts'
import type { HostAnswer } from './host.ts'
import { messageFrame } from './wire.ts'

/** What a watcher is told whenever it changes, as the message `view`. */
export interface HostState extends HostAnswer {
  /** The visible text of the terminal. */
  readonly screen: string
}

interface Look {
  /** Since the agent last printed something. */
  readonly quietMs: number
  readonly answer: HostAnswer
  readonly screen: string
}

/** What is printed meanwhile is told in one piece. */
const GATHER_MS = 40
/** One that has not read so much is told nothing more until it has: the next view holds all that it needs. */
const MOST_UNREAD = 256 * 1024

/** Those who want to know what the agent is at without a terminal of their own, such as the HTTP server. */
export class HostWatchers {
  readonly #look: () => Promise<Look>
  /** By socket, what each was told last. */
  readonly #watchers = new Map<Socket, string>()
  #timer: NodeJS.Timeout | undefined
  #isLate = false

  constructor(look: () => Promise<Look>) {
    this.#look = look
  }

  add(socket: Socket): void {
    this.#watchers.set(socket, '')
    socket.once('close', () => this.#watchers.delete(socket))
    void this.#tell()
  }

  /** The agent printed something, began or ended. */
  touched(): void {
    if (this.#watchers.size === 0 || (this.#timer && !this.#isLate)) return
    this.#later(GATHER_MS, false)
  }

  /** The last word to all of them. */
  end(message: object): void {
    clearTimeout(this.#timer)
    for (const socket of this.#watchers.keys()) socket.end(messageFrame(message))
    this.#watchers.clear()
  }

  /** `isLate`: only to see whether it has stayed quiet; news come before that. */
  #later(ms: number, isLate: boolean): void {
    clearTimeout(this.#timer)
    this.#isLate = isLate
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#tell()
    }, ms)
  }

  async #tell(): Promise<void> {
    const { quietMs, answer, screen } = await this.#look()
    const view: HostState = { ...answer, screen }
    const text = JSON.stringify(view)
    for (const [socket, told] of this.#watchers) {
      if (told === text || socket.writableLength > MOST_UNREAD) continue
      this.#watchers.set(socket, text)
      socket.write(messageFrame({ type: 'view', ...view }))
    }
    const next = [DRAWN_MS, WAITING_MS].find((limit) => quietMs < limit)
    if (next !== undefined && this.#watchers.size > 0 && !this.#timer) this.#later(next - quietMs + 5, true)
  }
}
