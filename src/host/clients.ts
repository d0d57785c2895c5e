import type { Socket } from 'node:net'
import { isSameSize, type Screen, type Size } from './screen.ts'
import { bytesFrame, messageFrame } from './wire.ts'

interface Client {
  readonly socket: Socket
  size: Size
  /**
   * `joining`: its screen is being drawn, and what comes meanwhile is kept for it. `live`: it gets everything.
   * `behind`: it is slow, or of another size than the agent's screen, and gets that drawn anew from time to time.
   */
  state: 'joining' | 'live' | 'behind'
  pending: string[]
  /** Until it was drawn for the first time. */
  isNew: boolean
  /** Counts drawings, so that only the last one that was asked for is sent. */
  drawing: number
  redraw: NodeJS.Timeout | undefined
}

/** A client that has not read so much is left behind, so that it holds up nobody. */
const MOST_UNREAD = 256 * 1024
const REDRAW_MS = 50

/** The terminals that look at an agent's screen. */
export class HostClients {
  readonly #screen: Screen
  readonly #onSize: (size: Size) => void
  readonly #clients = new Set<Client>()

  /** `onSize`: the agent's screen has another size now, that of the smallest client. */
  constructor(screen: Screen, onSize: (size: Size) => void) {
    this.#screen = screen
    this.#onSize = onSize
  }

  get count(): number {
    return this.#clients.size
  }

  /** Takes a client in until its socket closes. Returns how it tells that its window has changed. */
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

  /** What the agent printed. */
  broadcast(text: string): void {
    if (text === '') return
    for (const client of this.#clients) {
      if (client.state === 'joining') client.pending.push(text)
      else if (client.state === 'behind') this.#redrawSoon(client)
      else if (client.socket.writableLength > MOST_UNREAD) {
        client.state = 'behind'
        this.#redrawSoon(client)
      } else client.socket.write(bytesFrame(text))
    }
  }

  /** The last word to all of them. */
  end(message: object): void {
    for (const { socket, redraw } of this.#clients) {
      clearTimeout(redraw)
      socket.end(messageFrame(message))
    }
  }

  /** Gives the screen the smallest size of all, as tmux does, so that everybody sees all of it. */
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
        const isRight = client.state === 'live' && isSameSize(client.size, this.#screen.size)
        if (!isRight) this.#draw(client)
      }
    })
  }

  /** Sends the screen as it is at this very point of the output, and what came after it. */
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

  /** Once it has read what it was sent before: a client that reads nothing gets nothing more. */
  #redrawSoon(client: Client): void {
    if (client.redraw) return
    client.redraw = setTimeout(() => {
      client.redraw = undefined
      if (client.socket.writableLength > 0) this.#redrawSoon(client)
      else this.#draw(client)
    }, REDRAW_MS)
  }
}
