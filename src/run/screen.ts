import { SerializeAddon } from '@xterm/addon-serialize'
import xterm, { type IBufferLine, type Terminal } from '@xterm/headless'
import { ExtraModes, RESET_MODES } from './screen-modes.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Lines above the screen that a client gets to scroll back to. */
const SCROLLBACK = 3000
const TO_ALTERNATE = '\x1b[?1049h\x1b[H'

/** What an agent's terminal shows, kept without anybody looking. */
export class Screen {
  readonly #terminal: Terminal
  readonly #serialize = new SerializeAddon()
  readonly #modes: ExtraModes

  constructor({ columns, rows }: Size) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true })
    // The add-on's types are those of the terminal with a window.
    this.#terminal.loadAddon(this.#serialize as unknown as Parameters<Terminal['loadAddon']>[0])
    this.#modes = new ExtraModes(this.#terminal)
  }

  get size(): Size {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows }
  }

  /** What the terminal answers when the program asks it something. */
  onAnswer(answer: (text: string) => void): void {
    this.#terminal.onData(answer)
  }

  /** Parsed later, in order; `done` is called when this piece was, and nothing after it. */
  write(text: string, done?: () => void): void {
    this.#terminal.write(text, done)
  }

  resize({ columns, rows }: Size): void {
    this.#terminal.resize(columns, rows)
  }

  /** For the next program: its modes are its own, and what the one before printed stays above. */
  renew(): void {
    this.write(`${RESET_MODES}\x1b[?1049l\r\n`)
  }

  /** All that a terminal of the same size needs to look the same: history, screen, cursor and modes. */
  whole({ rows }: Size): string {
    const content = this.#serialize.serialize()
    // What stands in that terminal is moved up out of the way, not wiped out.
    return `${RESET_MODES}\x1b[?1049l${'\n'.repeat(rows)}\x1b[H\x1b[J${content}${this.#modes.text()}`
  }

  /** The visible part alone, in one piece: for a terminal that was left behind, or is of another size. */
  visible(): string {
    const content = this.#serialize.serialize({ scrollback: 0 })
    const at = this.#terminal.buffer.active.type === 'alternate' ? content.lastIndexOf(TO_ALTERNATE) : -1
    const place = at < 0 ? '\x1b[?1049l' : '\x1b[?1049h'
    const shown = at < 0 ? content : content.slice(at + TO_ALTERNATE.length)
    return `\x1b[?2026h${RESET_MODES}${place}\x1b[H\x1b[J${shown}${this.#modes.text()}\x1b[?2026l`
  }

  /** The visible text; lines that were only wrapped are one. */
  text(): string {
    const { active } = this.#terminal.buffer
    const lines: string[] = []
    for (let row = 0; row < this.#terminal.rows; row++) {
      const line: IBufferLine | undefined = active.getLine(active.viewportY + row)
      if (!line) continue
      const text = line.translateToString(true)
      if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`)
      else lines.push(text)
    }
    return lines.join('\n').trimEnd()
  }

  close(): void {
    this.#terminal.dispose()
  }
}
