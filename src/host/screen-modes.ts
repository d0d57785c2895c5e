import type { Terminal } from '@xterm/headless'

/** Resets a terminal to what a shell expects, whatever an agent has switched on. */
export const RESET_MODES = [
  // Keys of the kitty protocol and of xterm's, then the mouse, focus, paste, and application keys.
  '\x1b[=0u\x1b[>4m',
  ...[9, 1000, 1002, 1003, 1005, 1006, 1015, 1004, 2004, 1, 66, 6, 45].map((mode) => `\x1b[?${mode}l`),
  // Insert mode off, wrap on, no scroll region, ASCII, no colours, a default and visible cursor.
  '\x1b[4l\x1b[?7h\x1b[r\x1b(B\x0f\x1b[0m\x1b[0 q\x1b[?25h',
].join('')

/** A reset that does not move the cursor. */
export const RESET_IN_PLACE = `\x1b7${RESET_MODES}\x1b8\x1b[0m`

/** Returns a terminal to the shell: leaves the alternate screen, or moves below the contents of the normal one. */
export function leaveText(isAlternate: boolean, isMidway: boolean): string {
  const place = isAlternate ? '\x1b[?1049l' : isMidway ? '\x1b[999;1H\r\n' : '\r\n'
  return `${RESET_IN_PLACE}\x1b[?2026l${place}`
}

/** Encodings of mouse events: the terminal knows which events are on, not their encoding. */
const MOUSE_FORMS = [1005, 1006, 1015, 1016]

/**
 * The modes that the serialised screen lacks: visibility and shape of the cursor, the encoding of mouse events, and the
 * enhanced keys that some agents switch on unconditionally.
 */
export class ExtraModes {
  #isCursorHidden = false
  #cursorStyle = 0
  readonly #mouse = new Set<number>()
  /** The stack of kitty's keyboard flags. */
  #keys: number[] = []
  #modifyOtherKeys = 0

  constructor({ parser }: Terminal) {
    // False: the terminal handles it as well.
    const watch = (
      id: { prefix?: string; intermediates?: string; final: string },
      handle: (numbers: number[]) => void,
    ) =>
      parser.registerCsiHandler(id, (params) => {
        handle(params.map((one) => (typeof one === 'number' ? one : (one[0] ?? 0))))
        return false
      })
    watch({ prefix: '?', final: 'h' }, (modes) => this.#set(modes, true))
    watch({ prefix: '?', final: 'l' }, (modes) => this.#set(modes, false))
    watch({ intermediates: ' ', final: 'q' }, ([style = 0]) => (this.#cursorStyle = style))
    watch({ prefix: '>', final: 'u' }, ([flags = 0]) => this.#keys.push(flags))
    watch({ prefix: '<', final: 'u' }, ([count = 1]) => this.#keys.splice(-Math.max(1, count)))
    watch({ prefix: '=', final: 'u' }, ([flags = 0]) => (this.#keys = [...this.#keys.slice(0, -1), flags]))
    watch({ prefix: '>', final: 'm' }, ([what, value = 0]) => {
      if (what === 4) this.#modifyOtherKeys = value
    })
    watch({ intermediates: '!', final: 'p' }, () => this.clear())
    parser.registerEscHandler({ final: 'c' }, () => {
      this.clear()
      return false
    })
  }

  /** After a reset, and for the next program in the same terminal. */
  clear(): void {
    this.#isCursorHidden = false
    this.#cursorStyle = 0
    this.#mouse.clear()
    this.#keys = []
    this.#modifyOtherKeys = 0
  }

  /** The sequences that switch them on in a terminal where all are off. */
  text(): string {
    const keys = this.#keys.at(-1) ?? 0
    return [
      ...[...this.#mouse].map((mode) => `\x1b[?${mode}h`),
      keys ? `\x1b[=${keys}u` : '',
      this.#modifyOtherKeys ? `\x1b[>4;${this.#modifyOtherKeys}m` : '',
      this.#cursorStyle ? `\x1b[${this.#cursorStyle} q` : '',
      this.#isCursorHidden ? '\x1b[?25l' : '',
    ].join('')
  }

  #set(modes: readonly number[], isOn: boolean): void {
    for (const mode of modes) {
      if (mode === 25) this.#isCursorHidden = !isOn
      else if (MOUSE_FORMS.includes(mode)) {
        if (isOn) this.#mouse.add(mode)
        else this.#mouse.delete(mode)
      }
    }
  }
}
