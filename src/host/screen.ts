import { type ISerializeOptions, SerializeAddon } from '@xterm/addon-serialize'
import xterm, { type IBufferLine, type Terminal } from '@xterm/headless'
import type { ScreenRow } from '../agents/screen.ts'
import { ExtraModes, RESET_IN_PLACE, RESET_MODES } from './screen-modes.ts'
import { screenRows } from './screen-rows.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.columns === b.columns && a.rows === b.rows
}

/** Lines above the screen that a client gets to scroll back to. */
const SCROLLBACK = 3000
const MOVE_BY_ZERO = /\x1b\[0[CD]/g
const TO_ALTERNATE = '\x1b[?1049h\x1b[H'

/** The contents of an agent's terminal, also while nobody is attached. */
export class Screen {
  readonly #terminal: Terminal
  readonly #serialize = new SerializeAddon()
  readonly #modes: ExtraModes

  constructor({ columns, rows }: Size) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true })
    // The add-on is typed for the terminal with a window.
    this.#terminal.loadAddon(this.#serialize as unknown as Parameters<Terminal['loadAddon']>[0])
    this.#modes = new ExtraModes(this.#terminal)
  }

  get size(): Size {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows }
  }

  /** Whether the program distinguishes pasted from typed text. */
  get takesPaste(): boolean {
    return this.#terminal.modes.bracketedPasteMode
  }

  /** What the terminal answers to queries of the program. */
  onAnswer(answer: (text: string) => void): void {
    this.#terminal.onData(answer)
  }

  /** Parsed later, in order; `done` is called when this text was parsed, and nothing after it. */
  write(text: string, done?: () => void): void {
    this.#terminal.write(text, done)
  }

  /** Resolves when everything written so far is on the screen. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.write('', resolve))
  }

  resize({ columns, rows }: Size): void {
    this.#terminal.resize(columns, rows)
  }

  /** For the next program: modes are reset, and the output of the previous one stays above. */
  reset(): void {
    this.write(`${RESET_MODES}\x1b[?1049l\r\n`)
  }

  /**
   * For a terminal that has just attached. One of the same size gets everything to look the same: history, screen, cursor
   * and modes. Its previous contents stay: under the alternate screen, or scrolled up.
   */
  joined(size: Size): string {
    const isAlternate = this.#terminal.buffer.active.type === 'alternate'
    const movedUp = `\x1b[r\x1b[999;1H${'\n'.repeat(size.rows)}`
    if (!isSameSize(size, this.size)) return isAlternate ? this.visible() : `${movedUp}${this.visible()}`
    const content = this.#serialised()
    const at = this.#alternateAt(content)
    const modes = this.#modes.text()
    if (at >= 0 && content.slice(0, at).trim() === '') return `${RESET_IN_PLACE}${content.slice(at)}${modes}`
    return `${RESET_MODES}${movedUp}\x1b[H\x1b[J${content}${modes}`
  }

  /** Only the visible part: for a terminal that fell behind, or has another size. */
  visible(): string {
    const content = this.#serialised({ scrollback: 0 })
    const at = this.#alternateAt(content)
    const place = at < 0 ? '\x1b[?1049l' : '\x1b[?1049h'
    const shown = at < 0 ? content : content.slice(at + TO_ALTERNATE.length)
    return `\x1b[?2026h${RESET_IN_PLACE}${place}\x1b[H\x1b[J${shown}${this.#modes.text()}\x1b[?2026l`
  }

  /** The add-on also writes moves by zero columns, which terminals treat as one: they would leave a dash behind. */
  #serialised(options?: ISerializeOptions): string {
    return this.#serialize.serialize(options).replace(MOVE_BY_ZERO, '')
  }

  /** Where the alternate screen begins in the serialised text; -1 if it is not active. */
  #alternateAt(content: string): number {
    return this.#terminal.buffer.active.type === 'alternate' ? content.lastIndexOf(TO_ALTERNATE) : -1
  }

  /** The visible text; wrapped lines are joined. */
  text(): string {
    const { active } = this.#terminal.buffer
    const lines: string[] = []
    for (let row = 0; row < this.#terminal.rows; row++) {
      const line: IBufferLine | undefined = active.getLine(active.viewportY + row)
      if (!line) continue
      const text = line.translateToString(true, 0, this.#terminal.cols)
      if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`)
      else lines.push(text)
    }
    return lines.join('\n').trimEnd()
  }

  rows(): ScreenRow[] {
    return screenRows(this.#terminal)
  }

  close(): void {
    this.#terminal.dispose()
  }
}
