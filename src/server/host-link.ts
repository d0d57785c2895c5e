import type { Socket } from 'node:net'
import { connectHost } from '../host/ask.ts'
import { readHostFile } from '../host/file.ts'
import type { HostState } from '../host/watchers.ts'
import { FrameReader, messageFrame } from '../host/wire.ts'

const TYPED_MS = 3000

/** The line to whoever keeps the agent's terminal: what it shows, and keys for it. Found again by itself after a restart. */
export class HostLink {
  readonly #folder: string
  readonly #onChange: () => void
  #socket: Socket | undefined
  #isConnecting = false
  #view: HostState | undefined
  /** One for each message that was typed and not acknowledged yet, in order. */
  #typed: ((ok: boolean) => void)[] = []

  /** `folder` is the task's. */
  constructor(folder: string, onChange: () => void) {
    this.#folder = folder
    this.#onChange = onChange
  }

  /** What the terminal shows now; undefined while there is none. */
  get view(): HostState | undefined {
    return this.#view
  }

  /** Connects where there is a host and no line to it yet. Called often; throws nothing. */
  async look(): Promise<void> {
    if (this.#socket || this.#isConnecting) return
    const host = readHostFile(this.#folder)
    if (!host) return
    this.#isConnecting = true
    try {
      this.#listen(await connectHost(host))
    } catch {
      // It is starting or ending; the next look tells.
    } finally {
      this.#isConnecting = false
    }
  }

  /** Types into the terminal; false when nobody is there to take it. */
  type(text: string, paste = false): Promise<boolean> {
    const socket = this.#socket
    if (!socket) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), TYPED_MS)
      this.#typed.push((ok) => {
        clearTimeout(timer)
        resolve(ok)
      })
      socket.write(messageFrame({ type: 'type', text, paste }))
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #listen(socket: Socket): void {
    const reader = new FrameReader()
    this.#socket = socket
    const gone = (): void => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#view = undefined
      for (const answer of this.#typed.splice(0)) answer(false)
      this.#onChange()
    }
    socket.on('error', () => socket.destroy()).once('close', gone)
    socket.on('data', (chunk) => {
      try {
        for (const frame of reader.push(chunk)) if (frame.kind === 'message') this.#hear(frame.message)
      } catch {
        socket.destroy()
      }
    })
    socket.write(messageFrame({ type: 'watch' }))
  }

  #hear(message: Readonly<Record<string, unknown>>): void {
    if (message.type === 'typed') this.#typed.shift()?.(message.ok === true)
    if (message.type !== 'view') return
    const { type: _, ...view } = message
    this.#view = view as unknown as HostState
    this.#onChange()
  }
}
