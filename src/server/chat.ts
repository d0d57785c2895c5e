import type { Agent } from '../agents/agent.ts'
import { sessionId } from '../events/id.ts'
import type { HostState } from '../host/watchers.ts'
import type { Io } from '../platform/io.ts'
import { exitCodeOf } from '../run/launch.ts'
import { taskHolder } from '../run/lease.ts'
import type { Task } from '../run/task.ts'
import { pendingRun } from '../run/task-state.ts'
import { ChangeLog } from './change-log.ts'
import type { Feed } from './event-stream.ts'
import { History } from './history.ts'
import { HostLink } from './host-link.ts'
import { type Draft, type Message, messageUpdateJson } from './message.ts'
import { isSameMessage } from './same-message.ts'
import { Frame } from './sse-event.ts'
import type { SavedState } from './state-file.ts'
import { DUE_MS, hasDrawn, OPEN_MS, OVER_MS, type Status, statusOf } from './status.ts'
import { Transcript } from './transcript.ts'

/** As `GET /status` gives it, but for what only the server knows. */
export interface ChatStatus extends Status {
  readonly session_id: string | null
  readonly title: string | null
  /** The exit code of the agent once it has ended; null while it runs, or has never run. */
  readonly exited: number | null
}

export interface AgentError {
  readonly message: string
  readonly level: 'warning' | 'error'
  readonly time: string
}

const MOST_ERRORS = 100
/** How often a host is looked for while there is none. */
const HOST_MS = 500
/** What is written sooner after an agent began may be the last words of the one before it. */
const SETTLED_MS = 2000
/** A message that was typed is in the transcript by then, or its agent keeps none while it works. */
const SENT_MS = 5000

/** One task as others see it: messages from the transcript, status from transcript and screen, and what changes in them. */
export class Chat {
  readonly agent: Agent
  readonly task: Task
  readonly host: HostLink
  readonly transcript: Transcript
  /** Messages, status and errors; told by `/events`. */
  readonly log = new ChangeLog<Frame>()
  /** The text of the terminal; told by `/internal/screen`. */
  readonly screen = new ChangeLog<Frame>()
  readonly #io: Io
  readonly #listeners = new Set<() => void>()
  #history: History
  #native: string | null = null
  #drafts: readonly Draft[] | undefined
  #messages: readonly Message[] = []
  #frames: readonly Frame[] = []
  #errors: readonly AgentError[] = []
  #errorCount = 0
  #status: ChatStatus = { status: 'running', waiting_for: null, session_id: null, title: null, exited: null }
  #screenText: string | undefined
  #pid: number | null | undefined
  #pidSince = 0
  #readyPid: number | undefined
  #promptsAtSend: number | undefined
  #size = 0
  #turnSince = 0
  #stillSince = 0
  #timers = new Set<NodeJS.Timeout>()
  #hostTimer: NodeJS.Timeout | undefined

  constructor(agent: Agent, task: Task, io: Io, saved?: SavedState) {
    this.agent = agent
    this.task = task
    this.#io = io
    this.#history = new History(saved)
    this.host = new HostLink(task.folder, () => this.#hostChanged())
    this.transcript = new Transcript(
      agent,
      task,
      io,
      () => this.#transcriptChanged(),
      (trouble) => this.addError(trouble, 'warning'),
    )
  }

  /** Returns when the transcript was read once. From then on it follows by itself. */
  async begin(): Promise<void> {
    this.#hostTimer = setInterval(() => {
      void this.host.look()
      if (!this.host.view) this.#refreshStatus()
    }, HOST_MS)
    this.#hostTimer.unref()
    await Promise.all([this.host.look(), this.transcript.begin()])
    this.#transcriptChanged()
  }

  close(): void {
    clearInterval(this.#hostTimer)
    for (const timer of this.#timers) clearTimeout(timer)
    this.transcript.close()
    this.host.close()
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  get status(): ChatStatus {
    return this.#status
  }

  /** Called after every change. Returns how to stop it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get events(): Feed {
    return {
      log: this.log,
      standing: (after) => {
        const from = after === undefined ? 0 : this.#messages.findIndex(({ id }) => id >= after)
        const history = from === 0 ? this.#frames : from < 0 ? [] : this.#frames.slice(from)
        return { history, now: [this.#statusFrame(), ...this.#errors.map(errorFrame)] }
      },
    }
  }

  get screens(): Feed {
    return {
      log: this.screen,
      standing: () => ({ history: [], now: [screenFrame(this.#screenText ?? '')] }),
    }
  }

  /** What is told to whoever reads `/events`, now and later. */
  addError(message: string, level: AgentError['level']): void {
    const error = { message, level, time: this.#io.now().toISOString() }
    this.#errors = [...this.#errors, error].slice(-MOST_ERRORS)
    this.log.delete(`error ${this.#errorCount - MOST_ERRORS}`)
    this.log.put(`error ${this.#errorCount++}`, errorFrame(error))
    this.#tell()
  }

  /** A message is being typed: until it stands in the transcript the agent does not wait for another. */
  beginSending(): void {
    this.#promptsAtSend = this.transcript.conversation.prompts
    this.#refreshStatus()
  }

  /** `isSent`: it was taken, and its arrival in the transcript is awaited for a while. */
  endSending(isSent: boolean): void {
    const end = (): void => {
      this.#promptsAtSend = undefined
      this.#refreshStatus()
    }
    if (!isSent) end()
    else if (this.#promptsAtSend !== undefined) this.#after(SENT_MS, end)
  }

  /** The state as it is kept across restarts. */
  saved(prompt: string): SavedState {
    return this.#history.save(this.#native, this.#messages, this.#drafts?.length, prompt)
  }

  #transcriptChanged(): void {
    const { head, conversation, state } = this.transcript
    const native = head?.native_id ?? null
    const isOther = native !== null && this.#native !== null && native !== this.#native
    // What was said in the session before stays in the chat.
    if (isOther) this.#history = new History(this.saved(''))
    if (native !== null) this.#native = native
    if (this.#promptsAtSend !== undefined && conversation.prompts !== this.#promptsAtSend)
      this.#promptsAtSend = undefined
    const view = this.host.view
    // What stood there before this agent began says nothing of it, and neither do its notes to itself.
    const isNewText = conversation.size !== this.#size
    this.#size = conversation.size
    const isSettled = performance.now() - this.#pidSince > SETTLED_MS
    if (isNewText && isSettled && view?.agent_pid && this.#turnSince > 0) this.#readyPid = view.agent_pid
    if (isNewText || this.#turnSince === 0) this.#turnSince = performance.now()
    this.#drafts = head ? conversation.drafts() : state.session ? this.#drafts : []
    this.#show(this.#history.messages(this.#native, this.#drafts))
    this.#refreshStatus()
    this.#after(OVER_MS, () => this.#refreshStatus())
    this.#tell()
  }

  #show(messages: readonly Message[]): void {
    const [before, frames] = [this.#messages, this.#frames]
    const places = new Map(before.map((message, place) => [message.id, place]))
    const present = new Set(messages.map(({ id }) => id))
    for (const { id } of before) if (!present.has(id)) this.log.put(`message ${id}`, removedFrame(id))
    const kept: Message[] = []
    this.#frames = messages.map((message) => {
      const place = places.get(message.id)
      if (place !== undefined && isSameMessage(before[place]!, message)) {
        kept.push(before[place]!)
        return frames[place]!
      }
      kept.push(message)
      const frame = new Frame('message_update', () => messageUpdateJson(message))
      this.log.put(`message ${message.id}`, frame)
      return frame
    })
    this.#messages = kept
  }

  #hostChanged(): void {
    const { view } = this.host
    if (view?.agent_pid !== this.#pid) this.#pidSince = performance.now()
    this.#pid = view?.agent_pid
    if (view?.state === 'waiting' && view.agent_pid && hasDrawn(view)) this.#readyPid = view.agent_pid
    if (view && view.screen !== this.#screenText) {
      this.#screenText = view.screen
      this.screen.put('screen', screenFrame(view.screen))
    }
    // A view comes only when something is another.
    this.#stillSince = performance.now()
    if (view?.state === 'waiting') for (const ms of [OPEN_MS, DUE_MS]) this.#after(ms, () => this.#refreshStatus())
    if (!view) this.transcript.lookSoon()
    this.#refreshStatus()
    this.#tell()
  }

  #refreshStatus(): void {
    const { head, state } = this.transcript
    const view: HostState | undefined = this.host.view
    const last = this.#messages.at(-1)
    const known = statusOf({
      host: view,
      stillMs: performance.now() - this.#stillSince,
      turn: last === undefined ? 'none' : last.role === 'agent' && last.done ? 'over' : 'open',
      turnMs: performance.now() - this.#turnSince,
      isBetween: view ? view.agent_pid === null || this.#isOneTurn() : taskHolder(this.task.folder) !== undefined,
      isPromptDue: pendingRun(state) !== undefined,
      isReady: view?.agent_pid !== undefined && view.agent_pid !== null && view.agent_pid === this.#readyPid,
      isSending: this.#promptsAtSend !== undefined,
    })
    const exit = state.runs.at(-1)?.exit
    const status: ChatStatus = {
      ...known,
      session_id: this.#native === null ? null : sessionId(this.agent.id, this.#native),
      title: head?.title ?? null,
      exited: view || !exit ? null : exitCodeOf({ code: exit.code, signal: exit.signal as NodeJS.Signals | null }),
    }
    const isNews = status.status !== this.#status.status || status.waiting_for !== this.#status.waiting_for
    const isChanged = isNews || JSON.stringify(status) !== JSON.stringify(this.#status)
    this.#status = status
    if (isNews || this.log.get('status') === undefined) this.log.put('status', this.#statusFrame())
    if (isChanged) this.#tell()
  }

  /** It ends by itself after the prompt that it was given, and is opened again then. */
  #isOneTurn(): boolean {
    const pid = this.host.view?.agent_pid
    const run = this.transcript.state.runs.findLast(({ process }) => process?.pid === pid)
    return run?.isOneTurn === true
  }

  #statusFrame(): Frame {
    const { status, waiting_for } = this.#status
    return new Frame('status_change', () => ({ status, agent_type: this.agent.agentapiType, waiting_for }))
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, ms)
    this.#timers.add(timer.unref())
  }
}

/** The user went back behind it, or the agent has written its transcript anew without it. */
function removedFrame(id: number): Frame {
  return new Frame('message_removed', () => ({ id }))
}

function screenFrame(screen: string): Frame {
  return new Frame('screen', () => ({ screen }))
}

function errorFrame(error: AgentError): Frame {
  return new Frame('agent_error', () => error)
}
