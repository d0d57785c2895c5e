import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { until } from './wait-until.mjs'

const COLUMNS = 120
const ROWS = 40
/** An agent that has drawn nothing for so long waits for its user. */
const QUIET_MS = 1500

/** A person at a real terminal: looks at the screen, types, and presses Enter once the text stands there. */
export class Terminal {
  /** @param {string[]} argv @param {{ cwd: string, env: Record<string, string> }} options */
  constructor([program = '', ...args], { cwd, env }) {
    this.screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
    this.process = pty.spawn(program, args, { name: 'xterm-256color', cols: COLUMNS, rows: ROWS, cwd, env })
    this.lastOutput = Date.now()
    this.raw = ''
    /** @type {number | undefined} */
    this.exitCode = undefined
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

  get pid() {
    return this.process.pid
  }

  /** What is on the screen, as lines. */
  text() {
    const { active } = this.screen.buffer
    const lines = []
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
   * Types a line. Keys that come before the agent listens are lost, so the text must be seen before Enter; and it is
   * pressed again when nothing came of it.
   * @param {string} text @param {() => boolean} arrived
   */
  async say(text, arrived, ms = 90_000) {
    const end = Date.now() + ms
    const typed = () => this.text().replace(/\s+/g, '').includes(text.replace(/\s+/g, ''))
    while (!arrived()) {
      if (Date.now() > end) throw new Error(`what was typed never arrived; the screen:\n${this.text()}`)
      // Before the agent listens the terminal itself echoes, and what it echoed is wiped out by the first picture.
      if (!typed()) this.process.write(text)
      const seen = await until('the text to appear', 15_000, typed).catch(() => undefined)
      if (!seen) this.process.write('\x15')
      await until('the screen to be quiet', 3000, () => Date.now() - this.lastOutput > 600).catch(() => {})
      if (!typed()) continue
      this.process.write('\r')
      await until('the prompt to arrive', 5000, arrived).catch(() => {})
    }
  }

  /** Ends it as a closing workspace does, and waits. */
  async end() {
    if (this.exitCode === undefined) this.process.kill('SIGTERM')
    await until('the terminal to end', 10_000, () => this.exitCode !== undefined).catch(() => {
      this.process.kill('SIGKILL')
    })
  }
}
