import type { Socket } from 'node:net'
import { isSameSize, type Screen, type Size } from './screen.ts'
import { bytesFrame, messageFrame } from './wire.ts'

interface Client {
  readonly socket: Socket
  size: Size
  /**
   * `joining`: its screen is being drawn, and output in the meantime is queued for it. `live`: it gets all output.
   * `behind`: it is slow, or of another size than the agent's screen, and gets the screen redrawn from time to time.
   */
  state: 'joining' | 'live' | 'behind'
  pending: string[]
  /** It was not drawn yet. */
  isNew: boolean
  /** Counts drawings, so that only the last requested one is sent. */
  drawing: number
  redraw: NodeJS.Timeout | undefined
}

/** A client with more unread bytes falls behind, so that it delays nobody. */
const MAX_UNREAD = 256 * 1024
const REDRAW_MS = 50

/** The terminals that are attached to an agent. */
export class HostClients {
  readonly #screen: Screen
  readonly #onSize: (size: Size) => void
  readonly #clients = new Set<Client>()

  /** `onSize`: called when the agent's screen gets another size, that of the smallest client. */
  constructor(screen: Screen, onSize: (size: Size) => void) {
    this.#screen = screen
    this.#onSize = onSize
  }

  get count(): number {
    return this.#clients.size
  }

  /** Adds a client until its socket closes. Returns the function to call when its window is resized. */
  add(socket: Socket, size: Size): (size: Size) => void {
    const client: Client = { socket, size, state: 'joining', pending: [], isNew: true, drawing: 0, redraw: undefined }
    this.#clients.add(client)
    socket.once('close', () => {
      clearTimeout(client.redraw)
      this.#clients.delete(client)
      this.#fit()
    })
    this.#fit()
    return (changed) => {
      client.size = changed
      this.#fit()
    }
  }

  /** Sends output of the agent. */
  broadcast(text: string): void {
    if (text === '') return
    for (const client of this.#clients) {
      if (client.state === 'joining') client.pending.push(text)
      else if (client.state === 'behind') this.#redrawSoon(client)
      else if (client.socket.writableLength > MAX_UNREAD) {
        client.state = 'behind'
        this.#redrawSoon(client)
      } else client.socket.write(bytesFrame(text))
    }
  }

  /** Sends a last message to all of them. */
  end(message: object): void {
    for (const { socket, redraw } of this.#clients) {
      clearTimeout(redraw)
      socket.end(messageFrame(message))
    }
  }

  /** Gives the screen the smallest size of all, as tmux does, so that everybody sees the complete screen. */
  #fit(): void {
    this.#screen.write('', () => {
      const sizes = [...this.#clients].map(({ size }) => size)
      if (sizes.length > 0) {
        const size = {
          columns: Math.min(...sizes.map(({ columns }) => columns)),
          rows: Math.min(...sizes.map(({ rows }) => rows)),
        }
        if (!isSameSize(size, this.#screen.size)) {
          this.#screen.resize(size)
          this.#onSize(size)
        }
      }
      for (const client of this.#clients) {
        const isCurrent = client.state === 'live' && isSameSize(client.size, this.#screen.size)
        if (!isCurrent) this.#draw(client)
      }
    })
  }

  /** Sends the screen as of this point of the output, and the output after it. */
  #draw(client: Client): void {
    clearTimeout(client.redraw)
    client.redraw = undefined
    client.state = 'joining'
    client.pending = []
    const drawing = ++client.drawing
    this.#screen.write('', () => {
      if (client.socket.destroyed || client.drawing !== drawing) return
      const isExact = isSameSize(client.size, this.#screen.size)
      client.socket.write(bytesFrame(client.isNew ? this.#screen.joined(client.size) : this.#screen.visible()))
      client.isNew = false
      client.state = isExact ? 'live' : 'behind'
      if (isExact) for (const text of client.pending) client.socket.write(bytesFrame(text))
      else if (client.pending.length > 0) this.#redrawSoon(client)
      client.pending = []
    })
  }

  /** Once it has read what was sent before: a client that reads nothing gets nothing more. */
  #redrawSoon(client: Client): void {
    if (client.redraw) return
    client.redraw = setTimeout(() => {
      client.redraw = undefined
      if (client.socket.writableLength > 0) this.#redrawSoon(client)
      else this.#draw(client)
    }, REDRAW_MS)
  }
}
