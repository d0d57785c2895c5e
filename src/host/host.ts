import { createServer, type Server, type Socket } from 'node:net'
import type { ScreenAnswer } from '../agents/screen.ts'
import type { Start } from '../agents/start.ts'
import { exitCodes, IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { identityOf } from '../platform/process.ts'
import type { OnLine, Running } from '../run/launch.ts'
import { readLedger } from '../run/ledger.ts'
import type { Plan } from '../run/plan.ts'
import type { RunReporter, RunRequest } from '../run/request.ts'
import { runTask } from '../run/run-task.ts'
import { taskState } from '../run/task-state.ts'
import {
  type Activity,
  activityOf,
  DRAWN_MS,
  isMet,
  questionKey,
  readScreen,
  type ScreenReading,
  type TypeCondition,
} from './activity.ts'
import { surviveInternalErrors } from './background-process.ts'
import { HostClients } from './clients.ts'
import { removeHostFile, writeHostFile } from './file.ts'
import { RunLog, writeNotice } from './log.ts'
import { type HostedProgram, loadPty, startHosted } from './program.ts'
import { Screen, type Size } from './screen.ts'
import { QueryFilter } from './screen-queries.ts'
import { listenPrivately } from './socket.ts'
import { type StartObservation, type StartReport, StartReporter } from './start-report.ts'
import { DEFAULT_GRACE_MS } from './stop.ts'
import { HostWatchers } from './watchers.ts'
import { messageFrame, onFrame } from './wire.ts'

export interface HostOptions {
  readonly request: RunRequest
  /** Of the terminal, until somebody attaches. */
  readonly size: Size
  readonly io: Io
  readonly report: (report: StartReport) => void
}

/** The answer to `state`. */
export interface HostAnswer extends Activity {
  readonly agent_pid: number | null
  readonly clients: number
  /** The screen has not changed for a moment. */
  readonly drawn: boolean
  /** This program has printed something: output of a previous one stays above it. */
  readonly printed: boolean
  /** What the agent says on the screen, where its adapter can read that. */
  readonly answer?: ScreenAnswer
  /** Of the terminal. */
  readonly columns: number
}

/** Characters that may be printed before the screen has processed them. */
const MAX_UNPARSED = 1024 * 1024

/** Runs a task in its own terminal until the agent ends. The host outlives everything except the agent. */
export async function runHost(options: HostOptions): Promise<number> {
  let host: Host
  try {
    host = new Host(options, loadPty())
  } catch (error) {
    new StartReporter(options.report).failed(error)
    return exitCodes.failed.code
  }
  try {
    const outcome = await runTask(options.request, options.io, host.reporter, (plan, onLine) =>
      host.launch(plan, onLine),
    )
    const code = typeof outcome === 'number' ? outcome : exitCodes[outcome].code
    await host.finish(code)
    return code
  } catch (error) {
    host.fail(error)
    return codeOf(error)
  } finally {
    host.close()
  }
}

class Host {
  readonly #options: HostOptions
  readonly #start: StartReporter
  readonly #pty: ReturnType<typeof loadPty>
  readonly #screen: Screen
  readonly #clients: HostClients
  readonly #server: Server
  readonly #waiters = new Set<Socket>()
  readonly #watchers = new HostWatchers(async () => {
    await this.#screen.settled()
    return { quietMs: Date.now() - this.#quietSince, answer: this.#state(), screen: this.#screen.text() }
  })
  #isListening = false
  #log: RunLog | undefined
  #plan: Plan | undefined
  #program: HostedProgram | undefined
  #quietSince = Date.now()
  /** The question on the screen, and since when it is there. */
  #question = { shown: '', since: Date.now() }
  /** What the box holds while the screen says that the agent does not work, and since when. */
  #idle: { input: string | undefined; since: number } = { input: undefined, since: Date.now() }
  /** When this program first printed something visible. */
  #printedAt: number | undefined
  #hasShownBox = false
  /** The prompt is in the agent's session. */
  #hasPrompt = false
  #stopped: { readonly killAt: number; readonly timer: NodeJS.Timeout } | undefined

  constructor(options: HostOptions, pty: ReturnType<typeof loadPty>) {
    this.#options = options
    this.#start = new StartReporter(options.report)
    this.#pty = pty
    this.#screen = new Screen(options.size)
    this.#screen.onAnswer((text) => this.#program?.write(text))
    this.#clients = new HostClients(this.#screen, (size) => this.#program?.resize(size))
    this.#server = createServer((socket) => this.#serve(socket))
    process.on('SIGTERM', this.#onSignal).on('SIGINT', this.#onSignal).on('SIGHUP', ignore)
    surviveInternalErrors((line) => this.#note(line))
  }

  readonly #onSignal = (): void => this.stop(DEFAULT_GRACE_MS)

  readonly reporter: RunReporter = {
    notice: (line) => {
      this.#note(line)
      this.#start.notice(line)
    },
    recorded: (entry) => {
      if (entry.type === 'prompt' && entry.state === 'seen') this.#hasPrompt = true
    },
    output: (text) => this.#show(`${text.endsWith('\n') ? text : `${text}\n`}`.replace(/\r?\n/g, '\r\n')),
  }

  /** The launcher of the run: called once, or twice where the agent ends after its prompt. */
  async launch(plan: Plan, onLine: OnLine): Promise<Running> {
    if (this.#stopped) throw new Error('the task was stopped')
    await this.#listen()
    const isFirst = this.#plan === undefined
    this.#plan = plan
    this.#log?.close()
    this.#log = new RunLog(this.#folder, plan.run, (error) => this.#note(`the log ends here: ${messageOf(error)}`))
    if (!isFirst) this.#screen.reset()
    this.#printedAt = undefined
    this.#hasShownBox = false
    const filter = new QueryFilter()
    let unparsed = 0
    const onText = (text: string): void => {
      unparsed += text.length
      if (plain(text).trim() !== '') this.#printedAt ??= Date.now()
      if (unparsed > MAX_UNPARSED) this.#program?.pause()
      this.#show(text, filter, () => {
        unparsed -= text.length
        if (unparsed < MAX_UNPARSED / 2) this.#program?.resume()
      })
    }
    const program = startHosted(this.#pty, plan, this.#screen.size, this.#options.io, onText, onLine)
    this.#program = program
    // When the previous program last printed says nothing about this one.
    this.#quietSince = Date.now()
    this.#watchers.touched()
    const launchedAt = Date.now()
    this.#start.launched(() => this.#observeStart(launchedAt))
    const exit = program.exit.then((how) => {
      this.#program = undefined
      this.#watchers.touched()
      if (!this.#stopped) return how
      // The rest of its process group.
      program.kill('SIGKILL')
      return { ...how, stopped: true as const }
    })
    return { pid: program.pid, exit, kill: (signal) => program.kill(signal) }
  }

  /** Asks the agent to end, and kills it after the grace. A second call can only shorten the time. */
  stop(graceMs: number): void {
    const killAt = performance.now() + Math.max(0, graceMs)
    const earlier = this.#stopped
    if (earlier && earlier.killAt <= killAt) return
    clearTimeout(earlier?.timer)
    this.#stopped = { killAt, timer: setTimeout(() => this.#program?.kill('SIGKILL'), Math.max(0, graceMs)) }
    if (earlier) return
    this.#note('asked to stop')
    this.#program?.kill('SIGTERM')
  }

  async finish(code: number): Promise<void> {
    this.#note(`ended with exit code ${code}`)
    await this.#screen.settled()
    this.#endConnections(code)
    this.#start.ended(code, this.#screen.text(), this.#isPromptPending())
  }

  fail(error: unknown): void {
    this.#note(messageOf(error))
    this.#endConnections(codeOf(error))
    this.#start.failed(error)
  }

  #endConnections(code: number): void {
    const ended = { type: 'ended', code }
    this.#clients.end(ended)
    this.#watchers.end(ended)
    for (const socket of this.#waiters) socket.end(messageFrame(ended))
  }

  close(): void {
    this.#start.close()
    clearTimeout(this.#stopped?.timer)
    this.#log?.close()
    this.#server.close()
    if (this.#isListening) removeHostFile(this.#folder, process.pid)
    process.off('SIGTERM', this.#onSignal).off('SIGINT', this.#onSignal)
  }

  get #folder(): string {
    return this.#options.request.task.folder
  }

  #note(line: string): void {
    writeNotice(this.#folder, this.#options.io.now(), line)
  }

  #show(text: string, filter?: QueryFilter, done?: () => void): void {
    this.#quietSince = Date.now()
    this.#log?.write(text)
    this.#screen.write(text, done)
    this.#clients.broadcast(filter ? filter.push(text) : text)
    this.#watchers.touched()
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return
    const { io } = this.#options
    const socket = await listenPrivately(this.#server, this.#folder, io)
    this.#isListening = true
    const startedAt = io.now().toISOString()
    writeHostFile(this.#folder, { ...identityOf(process.pid), socket, startedAt, size: this.#screen.size })
  }

  #serve(socket: Socket): void {
    let resize: ((size: Size) => void) | undefined
    socket.on('error', () => socket.destroy())
    onFrame(socket, (frame) => {
      if (frame.kind === 'bytes') {
        if (resize) this.#program?.write(frame.bytes)
      } else if (frame.message.type === 'attach') resize = this.#clients.add(socket, sizeOf(frame.message))
      else if (frame.message.type === 'resize') resize?.(sizeOf(frame.message))
      else this.#answer(socket, frame.message)
    })
  }

  #answer(socket: Socket, message: Readonly<Record<string, unknown>>): void {
    if (message.type === 'state') {
      void this.#screen.settled().then(() => socket.write(messageFrame({ type: 'state', ...this.#state() })))
    } else if (message.type === 'watch') {
      this.#watchers.add(socket)
    } else if (message.type === 'type' && typeof message.text === 'string') {
      void this.#typeIf(message.if, message.text, message.paste === true).then((ok) =>
        socket.write(messageFrame({ type: 'typed', ok })),
      )
    } else if (message.type === 'stop') {
      this.#waiters.add(socket)
      socket.once('close', () => this.#waiters.delete(socket))
      this.stop(typeof message.grace_ms === 'number' ? message.grace_ms : DEFAULT_GRACE_MS)
    }
  }

  async #typeIf(condition: unknown, text: string, isPaste: boolean): Promise<boolean> {
    await this.#screen.settled()
    const reading = (): ScreenReading => readScreen(this.#screen.rows(), this.#options.request.agent.start ?? {})
    if (condition && !isMet(condition as TypeCondition, reading())) return false
    return this.#type(text, isPaste)
  }

  /** Returns whether anything accepts it. Where pasting is not supported a line break means Enter: there text becomes one line. */
  #type(text: string, isPaste: boolean): boolean {
    if (!this.#program?.takesKeys) return false
    const pasted = this.#screen.takesPaste ? `\x1b[200~${text}\x1b[201~` : text.replace(/\s*\n\s*/g, ' ')
    this.#program.write(isPaste ? pasted : text)
    return true
  }

  #state(): HostAnswer {
    const { request } = this.#options
    const start: Partial<Start> = request.agent.start ?? {}
    const rows = this.#screen.rows()
    const [now, reading, answer] = [Date.now(), readScreen(rows, start), start.readAnswer?.(rows)]
    this.#hasShownBox ||= typeof reading.input === 'string'
    const shown = reading.question ? questionKey(reading.question) : ''
    if (shown !== this.#question.shown) this.#question = { shown, since: now }
    const idle = reading.isWorking === false ? (reading.input ?? undefined) : undefined
    if (idle !== this.#idle.input) this.#idle = { input: idle, since: now }
    // Some animate the rest of the screen.
    const quietMs = now - (idle === undefined ? this.#quietSince : Math.min(this.#quietSince, this.#idle.since))
    const activity = activityOf({
      quietMs,
      text: this.#screen.text(),
      reading,
      questionMs: now - this.#question.since,
      start,
      expected: this.#isPromptPending() ? (this.#plan?.dialogs ?? []) : [],
      isOpening: !this.#hasShownBox,
    })
    return {
      ...activity,
      agent_pid: this.#program?.pid ?? null,
      clients: this.#clients.count,
      drawn: quietMs >= DRAWN_MS,
      printed: this.#printedAt !== undefined,
      ...(answer ? { answer } : {}),
      columns: this.#screen.size.columns,
    }
  }

  #observeStart(launchedAt: number): StartObservation {
    const now = Date.now()
    const dialog = this.#state().dialog ?? undefined
    const isDue = this.#plan?.prompt.action !== 'skip' && !this.#hasPrompt
    return {
      sinceLaunchMs: now - launchedAt,
      sinceOutputMs: this.#printedAt === undefined ? undefined : now - this.#printedAt,
      quietMs: now - this.#quietSince,
      dialog: dialog && { asks: dialog.asks, isAnnounced: this.#plan!.dialogs.some(({ id }) => id === dialog.id) },
      prompt: this.#hasPrompt ? 'arrived' : isDue ? 'due' : 'none',
    }
  }

  #isPromptPending(): boolean {
    const plan = this.#plan
    if (!plan || plan.prompt.action === 'skip') return false
    try {
      const { runs } = taskState(readLedger(this.#folder).entries)
      return runs.find(({ run }) => run === plan.run)?.prompt?.state !== 'seen'
    } catch {
      return false
    }
  }
}

function codeOf(error: unknown): number {
  return exitCodes[error instanceof IonError ? error.kind : 'failed'].code
}

function sizeOf({ columns, rows }: Readonly<Record<string, unknown>>): Size {
  const side = (value: unknown, least: number): number =>
    typeof value === 'number' && Number.isFinite(value) ? Math.min(1000, Math.max(least, Math.floor(value))) : 80
  return { columns: side(columns, 10), rows: side(rows, 4) }
}

function ignore(): void {}
