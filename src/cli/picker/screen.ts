import type { Terminal } from '../terminal.ts'
import { width } from '../text.ts'
import { decodeKeys, type Key } from './key.ts'
import type { Size } from './state.ts'

/** What the picker needs of the terminal besides writing to it. */
export interface Keyboard {
  readonly input: NodeJS.ReadStream
  /** Calls `listener` when the size of the window changes, until the returned function is called. */
  readonly onResize: (listener: () => void) => () => void
}

export function realKeyboard(): Keyboard {
  return {
    input: process.stdin,
    onResize(listener) {
      process.stdout.on('resize', listener)
      return () => process.stdout.off('resize', listener)
    },
  }
}

export interface Screen {
  draw(lines: readonly string[], cursor: { readonly row: number; readonly column: number }): void
  /** Restores the terminal. May be called twice. */
  close(): void
}

/** Alternate screen, no wrapping, bracketed paste. */
const ENTER = '\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[2J'
const LEAVE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'
/** Synchronized output, which terminals that do not support it ignore. */
const BEGIN_FRAME = '\x1b[?2026h\x1b[?25l'
const END_FRAME = '\x1b[?25h\x1b[?2026l'
/** How long to wait before a lone escape counts as the Escape key. */
const ESCAPE_MS = 50

/** Takes over the terminal and restores it whatever happens: an error, a signal or the end of the process. */
export function openScreen(
  out: Terminal,
  { input, onResize }: Keyboard,
  onKeys: (keys: readonly Key[]) => void,
  onSize: (size: Size) => void,
): Screen {
  let open = false
  let drawn: readonly string[] = []
  let pending = ''
  let timer: NodeJS.Timeout | undefined

  const size = (): Size => ({ columns: Math.max(1, out.columns), rows: Math.max(1, out.rows) })

  const enter = (): void => {
    open = true
    drawn = []
    input.setRawMode(true)
    out.write(ENTER)
  }

  const leave = (): void => {
    if (!open) return
    open = false
    out.write(LEAVE)
    input.setRawMode(false)
  }

  const decode = (final: boolean): void => {
    const { keys, rest } = decodeKeys(pending, final)
    pending = rest
    if (keys.some((key) => key.name === 'ctrl-z')) suspend()
    const typed = joinTyped(keys.filter((key) => key.name !== 'ctrl-z'))
    if (typed.length > 0) onKeys(typed)
  }

  const onData = (data: string): void => {
    clearTimeout(timer)
    pending += data
    decode(false)
    if (pending !== '') timer = setTimeout(() => decode(true), ESCAPE_MS)
  }

  /** Ctrl-Z returns to the shell; `fg` shows the picker again. */
  const suspend = (): void => {
    leave()
    process.once('SIGCONT', () => {
      enter()
      onSize(size())
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  const resized = (): void => {
    drawn = []
    out.write('\x1b[2J')
    onSize(size())
  }

  const onSignal = (signal: NodeJS.Signals): void => {
    close()
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

  const stopResize = onResize(resized)
  const close = (): void => {
    leave()
    clearTimeout(timer)
    input.off('data', onData)
    input.pause()
    stopResize()
    process.off('exit', leave).off('uncaughtExceptionMonitor', leave)
    for (const signal of signals) process.off(signal, onSignal)
  }

  process.on('exit', leave).on('uncaughtExceptionMonitor', leave)
  for (const signal of signals) process.on(signal, onSignal)
  input.setEncoding('utf8')
  input.on('data', onData)
  input.resume()
  enter()

  return {
    close,
    draw(lines, { row, column }) {
      if (!open) return
      const changes = lines.flatMap((line, index) =>
        // In a full line the cursor is on its last character: there is nothing to clear.
        line === drawn[index] ? [] : [`\x1b[${index + 1};1H${line}${width(line) < out.columns ? '\x1b[K' : ''}`],
      )
      drawn = [...lines]
      out.write(`${BEGIN_FRAME}${changes.join('')}\x1b[${row + 1};${column + 1}H${END_FRAME}`)
    },
  }
}

/** Letters that arrived together become one text, to filter only once. */
function joinTyped(keys: readonly Key[]): Key[] {
  const joined: Key[] = []
  for (const key of keys) {
    const before = joined.at(-1)
    if (key.name === 'text' && before?.name === 'text')
      joined[joined.length - 1] = { name: 'text', text: before.text! + key.text! }
    else joined.push(key)
  }
  return joined
}
