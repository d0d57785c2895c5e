import type { Socket } from 'node:net'
import type { TypeCondition } from '../host/activity.ts'
import { connectHost } from '../host/ask.ts'
import { readHostFile } from '../host/file.ts'
import type { HostState } from '../host/watchers.ts'
import { messageFrame, onFrame } from '../host/wire.ts'

const ACKNOWLEDGED_MS = 3000

export interface TypeOptions {
  readonly paste?: boolean
  readonly if?: TypeCondition
}

/** The connection to the host of the agent's terminal: what it shows, and input for it. */
export class HostLink {
  readonly #folder: string
  readonly #onChange: () => void
  #socket: Socket | undefined
  #isConnecting = false
  #view: HostState | undefined
  /** One for each input that the host has not acknowledged yet, in order. */
  #pending: ((ok: boolean) => void)[] = []

  /** `folder`: of the task. */
  constructor(folder: string, onChange: () => void) {
    this.#folder = folder
    this.#onChange = onChange
  }

  /** The terminal's current state; undefined while there is no host. */
  get view(): HostState | undefined {
    return this.#view
  }

  /** Connects if there is a host and no connection yet, also after a restart of the host. Call it often; it never throws. */
  async connect(): Promise<void> {
    if (this.#socket || this.#isConnecting) return
    const host = readHostFile(this.#folder)
    if (!host) return
    this.#isConnecting = true
    try {
      this.#listen(await connectHost(host))
    } catch {
      // The host is starting or ending; the next call will find out.
    } finally {
      this.#isConnecting = false
    }
  }

  /** Types into the terminal; false if there is nothing to accept it, or the screen does not meet the condition. */
  type(text: string, { paste = false, if: condition }: TypeOptions = {}): Promise<boolean> {
    const socket = this.#socket
    if (!socket) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ACKNOWLEDGED_MS)
      this.#pending.push((ok) => {
        clearTimeout(timer)
        resolve(ok)
      })
      socket.write(messageFrame({ type: 'type', text, paste, ...(condition ? { if: condition } : {}) }))
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #listen(socket: Socket): void {
    this.#socket = socket
    const onClose = (): void => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#view = undefined
      for (const acknowledge of this.#pending.splice(0)) acknowledge(false)
      this.#onChange()
    }
    socket.on('error', () => socket.destroy()).once('close', onClose)
    onFrame(socket, (frame) => {
      if (frame.kind === 'message') this.#handle(frame.message)
    })
    socket.write(messageFrame({ type: 'watch' }))
  }

  #handle(message: Readonly<Record<string, unknown>>): void {
    if (message.type === 'typed') this.#pending.shift()?.(message.ok === true)
    if (message.type !== 'view') return
    const { type: _, ...view } = message
    this.#view = view as unknown as HostState
    this.#onChange()
  }
}
