import pty, { type IPty } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { until } from './until.ts'

const COLUMNS = 120
const ROWS = 40
/** An agent that has drawn nothing for this long is waiting for its user. */
const QUIET_MS = 1500

/** A person at a real terminal: looks at the screen, types, and presses Enter once the text is shown. */
export class Terminal {
  readonly screen: xterm.Terminal
  readonly process: IPty
  lastOutput = Date.now()
  raw = ''
  exitCode: number | undefined

  constructor([program = '', ...args]: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
    this.screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
    this.process = pty.spawn(program, args, { name: 'xterm-256color', cols: COLUMNS, rows: ROWS, cwd, env })
    this.process.onData((data) => {
      this.lastOutput = Date.now()
      this.raw += data
      this.screen.write(data)
    })
    // Agents ask the terminal what it is and wait for the answer.
    this.screen.onData((answer) => this.process.write(answer))
    this.process.onExit(({ exitCode, signal }) => {
      this.exitCode = signal ? 128 + signal : exitCode
    })
  }

  /** What is on the screen, as lines. */
  text() {
    const { active } = this.screen.buffer
    const lines: string[] = []
    for (let row = 0; row < ROWS; row++) lines.push(active.getLine(active.baseY + row)?.translateToString(true) ?? '')
    return lines.join('\n')
  }

  /** Waits until the agent has drawn something and is quiet. */
  async ready(ms = 60_000) {
    await until(
      'the agent to wait for input',
      ms,
      () => this.raw.length > 200 && Date.now() - this.lastOutput > QUIET_MS,
    )
  }

  /**
   * Types a line. Keys pressed before the agent listens are lost, so the text must be visible before Enter is pressed,
   * and Enter is pressed again when nothing happens.
   */
  async say(text: string, arrived: () => boolean, ms = 90_000) {
    const end = Date.now() + ms
    const typed = () => this.text().replace(/\s+/g, '').includes(text.replace(/\s+/g, ''))
    while (!arrived()) {
      if (Date.now() > end) throw new Error(`the typed text never arrived; the screen:\n${this.text()}`)
      // Before the agent listens the terminal itself echoes, and the agent's first screen overwrites that.
      if (!typed()) this.process.write(text)
      const seen = await until('the text to appear', 15_000, typed).catch(() => undefined)
      if (!seen) this.process.write('\x15')
      await until('the screen to be quiet', 3000, () => Date.now() - this.lastOutput > 600).catch(() => {})
      if (!typed()) continue
      this.process.write('\r')
      // On a busy machine the slowest agents take this long; an Enter too many sends the prompt twice.
      await until('the prompt to arrive', 20_000, arrived).catch(() => {})
    }
  }

  /** Ends it as a closing workspace does, and waits. */
  async end() {
    if (this.exitCode === undefined) this.process.kill('SIGTERM')
    await until('the terminal to end', 60_000, () => this.exitCode !== undefined).catch(() => {
      this.process.kill('SIGKILL')
    })
  }
}
