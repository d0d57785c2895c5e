import type { Agent } from '../agents/agent.ts'
import { sessionId } from '../events/id.ts'
import type { HostState } from '../host/watchers.ts'
import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { exitCodeOf } from '../run/launch.ts'
import { taskHolder } from '../run/lease.ts'
import { loadPrompt } from '../run/prompt.ts'
import type { Task } from '../run/task.ts'
import { pendingRun } from '../run/task-state.ts'
import { AnswerPreview } from './answer-preview.ts'
import { ChangeLog } from './change-log.ts'
import type { SavedState } from './chat-state.ts'
import type { AgentError, Message, MessagePreview, Question, Replica, StatusChange } from './contract.ts'
import { answerKey, unstoredTurn } from './conversation.ts'
import { type Feed, SseEvent } from './event-stream.ts'
import { History } from './history.ts'
import { HostLink } from './host-link.ts'
import { agentapiUpdateJson, type Draft, isSameMessage, messageUpdateJson } from './message.ts'
import { PreviewFeed } from './preview-feed.ts'
import { type Asked, AT_INPUT_MS, hasDrawn, OPEN_MS, OVER_MS, PENDING_MS, type Status, statusOf } from './status.ts'
import { Transcript } from './transcript.ts'
import { isCommand, UnstoredPrompt } from './unstored-prompt.ts'

/** As `GET /status` returns it, except for what only the server knows. */
export interface ChatStatus extends Pick<Status, 'status'> {
  readonly waiting_for: Question | null
  readonly session_id: string | null
  readonly title: string | null
  /** The exit code of the agent once it has ended; null while it runs, or if it has never run. */
  readonly exited: number | null
}

/** Where a chat gets its data from; tests replace it. */
export interface ChatSources {
  readonly host: (...args: ConstructorParameters<typeof HostLink>) => Pick<HostLink, keyof HostLink>
  readonly transcript: (...args: ConstructorParameters<typeof Transcript>) => Pick<Transcript, keyof Transcript>
}

const SOURCES: ChatSources = {
  host: (...args) => new HostLink(...args),
  transcript: (...args) => new Transcript(...args),
}

const MAX_ERRORS = 100
/** How often to look for a host while there is none. */
const HOST_MS = 500
/** What is written sooner after an agent started may be the last output of the one before it. */
const SETTLED_MS = 2000
/** A command of the agent, which is in no transcript, counts as being sent for so long. */
const SENT_MS = 5000
/** What the agent writes is sent at most this often. */
const PREVIEW_MS = 150
/** An agent that has stored nothing this long after its turn never will: the turn was interrupted. */
const UNSTORED_MS = 3000

/** One task as clients see it: messages from the transcript, status from transcript and screen, and their changes. */
export class Chat {
  readonly agent: Agent
  readonly task: Task
  readonly host: ReturnType<ChatSources['host']>
  readonly transcript: ReturnType<ChatSources['transcript']>
  /** Messages, status and errors; for `/events`. */
  readonly log = new ChangeLog<SseEvent>()
  /** The text of the terminal; for `/internal/screen`. */
  readonly screen = new ChangeLog<SseEvent>()
  readonly #io: Io
  readonly #listeners = new Set<() => void>()
  #history: History
  #native: string | null = null
  /** The session as it is stored; undefined when it could not be read. */
  #drafts: readonly Draft[] | undefined
  #unstored: UnstoredPrompt | undefined
  /** The session, and the prompt that it does not have yet. */
  #listed: readonly Draft[] | undefined
  /** The run whose prompt was shown before it was stored. */
  #promptedRun: string | undefined
  #messages: readonly Message[] = []
  /** The `message_update` event of each message. */
  #updates: readonly SseEvent[] = []
  #errors: readonly AgentError[] = []
  #errorCount = 0
  #status: ChatStatus = { status: 'running', waiting_for: null, session_id: null, title: null, exited: null }
  #replica: Replica | null = null
  #screenText: string | undefined
  readonly #answer = new AnswerPreview()
  readonly #previews: PreviewFeed
  #previewAt = 0
  #previewTimer: NodeJS.Timeout | undefined
  #prompts = 0
  #pid: number | null | undefined
  #pidSince = 0
  #readyPid: number | undefined
  #promptsAtSend: number | undefined
  #sentTimer: NodeJS.Timeout | undefined
  /** What the agent asked last, and how many questions that makes. */
  #asked = { shown: '', count: 0 }
  #size = 0
  #turnSince = 0
  #stillSince = 0
  #timers = new Set<NodeJS.Timeout>()
  #hostTimer: NodeJS.Timeout | undefined

  constructor(agent: Agent, task: Task, io: Io, saved?: SavedState, sources = SOURCES) {
    this.agent = agent
    this.task = task
    this.#io = io
    this.#history = new History(saved)
    this.#previews = new PreviewFeed(this.log, () => io.now())
    this.host = sources.host(task.folder, () => this.#hostChanged())
    this.transcript = sources.transcript(
      agent,
      task,
      io,
      () => this.#transcriptChanged(),
      (message) => this.addError(message, 'warning'),
    )
  }

  /** Returns when the transcript was read once. From then on changes are followed automatically. */
  async begin(): Promise<void> {
    this.#hostTimer = setInterval(() => {
      void this.host.connect()
      if (!this.host.view) this.#refreshStatus()
    }, HOST_MS)
    this.#hostTimer.unref()
    await Promise.all([this.host.connect(), this.transcript.begin()])
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

  /** How far the store is behind in which the task is kept; null if there is none. */
  get replica(): Replica | null {
    return this.#replica
  }

  set replica(replica: Replica | null) {
    if (JSON.stringify(replica) === JSON.stringify(this.#replica)) return
    this.#replica = replica
    if (replica) this.log.put('replica', replicaEvent(replica))
    this.#notify()
  }

  /** What the agent is writing and has not stored; null when there is nothing. */
  get preview(): MessagePreview | null {
    return this.#previews.current
  }

  /** Called after every change. Returns how to unsubscribe. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get events(): Feed {
    return {
      log: this.log,
      current: (after) => {
        const from = after === undefined ? 0 : this.#messages.findIndex(({ id }) => id >= after)
        const history = from === 0 ? this.#updates : from < 0 ? [] : this.#updates.slice(from)
        const replica = this.#replica ? [replicaEvent(this.#replica)] : []
        const now = [...this.#previews.events(), this.#statusEvent(), ...replica]
        return { history, rest: [...now, ...this.#errors.map(errorEvent)] }
      },
    }
  }

  get screens(): Feed {
    return {
      log: this.screen,
      current: () => ({ history: [], rest: [screenEvent(this.#screenText ?? '')] }),
    }
  }

  /** Sent to everybody who reads `/events`, now and later. */
  addError(message: string, level: AgentError['level']): void {
    const error = { message, level, time: this.#io.now().toISOString() }
    this.#errors = [...this.#errors, error].slice(-MAX_ERRORS)
    this.log.delete(`error ${this.#errorCount - MAX_ERRORS}`)
    this.log.put(`error ${this.#errorCount++}`, errorEvent(error))
    this.#notify()
  }

  /** A message is being typed: until it is in the transcript the agent does not wait for another. */
  beginSending(): void {
    clearTimeout(this.#sentTimer)
    this.#promptsAtSend = this.transcript.conversation.prompts
    this.#answer.clear()
    this.#refreshStatus()
  }

  /** `sent`: the message that the agent has accepted; it should be in the transcript soon, or when its turn is over. */
  endSending(sent?: string): void {
    const end = (): void => {
      this.#promptsAtSend = undefined
      this.#refreshStatus()
    }
    if (sent !== undefined && this.#promptsAtSend === undefined) return
    if (sent === undefined) end()
    else if (isCommand(sent) || !this.#drafts) this.#sentTimer = this.#after(SENT_MS, end)
    else {
      this.#unstored = new UnstoredPrompt(sent, this.#io.now().toISOString(), this.#drafts)
      this.#refreshMessages()
      end()
      this.#refreshPreview()
      this.#notify()
    }
  }

  /** The state for the next start. */
  saved(prompt: string): SavedState {
    const drafts = this.#drafts?.length
    // After a restart nobody would know whether the turn of an unstored prompt is over.
    const unstored = (this.#listed?.length ?? 0) - (drafts ?? 0)
    const messages = unstored > 0 ? this.#messages.slice(0, -unstored) : this.#messages
    return this.#history.save(this.#native, messages, drafts, prompt)
  }

  #transcriptChanged(): void {
    const { head, conversation } = this.transcript
    const native = head?.native_id ?? null
    const isOtherSession = native !== null && this.#native !== null && native !== this.#native
    // The messages of the previous session stay in the chat.
    if (isOtherSession) this.#history = new History(this.saved(''))
    if (native !== null) this.#native = native
    if (this.#promptsAtSend !== undefined && conversation.prompts !== this.#promptsAtSend)
      this.#promptsAtSend = undefined
    if (conversation.prompts !== this.#prompts) this.#answer.clear()
    this.#prompts = conversation.prompts
    const view = this.host.view
    // Neither what was there before this process started nor internal records say anything about it.
    const isNewText = conversation.size !== this.#size
    this.#size = conversation.size
    const isSettled = performance.now() - this.#pidSince > SETTLED_MS
    if (isNewText && isSettled && view?.agent_pid && this.#turnSince > 0) this.#readyPid = view.agent_pid
    if (isNewText || this.#turnSince === 0) this.#turnSince = performance.now()
    this.#readDrafts()
    this.#refreshMessages()
    this.#refreshStatus()
    this.#refreshPreview()
    this.#after(OVER_MS, () => this.#refreshStatus())
    this.#notify()
  }

  #readDrafts(): void {
    const { head, state, conversation, answers } = this.transcript
    // The session cannot be read: it stays as it was.
    if (!head && state.session) return
    const all = conversation.drafts(answers)
    this.#expectPrompt(all)
    const stored = this.#unstored?.stored(all)
    if (stored) {
      this.#history.renamePrompt(this.#unstored!.draft.key, stored.key)
      this.#unstored = undefined
    }
    const since = this.#unstored?.draft.time
    // What was answered since then is part of that turn.
    this.#drafts = since === undefined ? all : conversation.drafts(answers.filter(({ at }) => at < since))
  }

  /** The prompt of the start, which some agents store only when they have answered it. */
  #expectPrompt(drafts: readonly Draft[]): void {
    const run = pendingRun(this.transcript.state)
    if (!run?.prompt || !run.process || run.exit || run.run === this.#promptedRun) return
    this.#promptedRun = run.run
    const text = attempt(() => loadPrompt(run.prompt!, this.task.folder))
    if (text === undefined || isCommand(text)) return
    const earlier = drafts.filter(({ time }) => time < run.plannedAt)
    this.#unstored = new UnstoredPrompt(text, run.plannedAt, earlier)
  }

  #refreshMessages(): void {
    this.#listed = this.#drafts && [...this.#drafts, ...this.#unstoredDrafts()]
    this.#show(this.#history.messages(this.#native, this.#listed))
  }

  #unstoredDrafts(): readonly Draft[] {
    const prompt = this.#unstored?.draft
    if (!prompt) return []
    const answers = this.transcript.answers.filter(({ at }) => at >= prompt.time)
    return [prompt, unstoredTurn(prompt, answers)].filter((draft) => draft !== undefined)
  }

  #show(messages: readonly Message[]): void {
    const [before, updates] = [this.#messages, this.#updates]
    const indexes = new Map(before.map((message, index) => [message.id, index]))
    const present = new Set(messages.map(({ id }) => id))
    for (const { id } of before) if (!present.has(id)) this.log.put(`message ${id}`, removedEvent(id))
    const shown: Message[] = []
    this.#updates = messages.map((message) => {
      const index = indexes.get(message.id)
      if (index !== undefined && isSameMessage(before[index]!, message)) {
        shown.push(before[index]!)
        return updates[index]!
      }
      shown.push(message)
      const update = new SseEvent('message_update', (form) =>
        form === 'full' ? messageUpdateJson(message) : agentapiUpdateJson(message),
      )
      this.log.put(`message ${message.id}`, update)
      return update
    })
    this.#messages = shown
  }

  #hostChanged(): void {
    const { view } = this.host
    if (view?.agent_pid !== this.#pid) {
      this.#pidSince = performance.now()
      const unstored = this.#unstored
      // The process that had it is gone, whatever the next one does.
      if (this.#pid && unstored) this.#after(UNSTORED_MS, () => this.#forget(unstored))
    }
    this.#pid = view?.agent_pid
    if (view?.state === 'waiting' && view.agent_pid && hasDrawn(view)) this.#readyPid = view.agent_pid
    if (view && view.screen !== this.#screenText) {
      this.#screenText = view.screen
      this.screen.put('screen', screenEvent(view.screen))
    }
    // The host sends its state only when something has changed.
    this.#stillSince = performance.now()
    if (view?.state === 'waiting')
      for (const ms of [AT_INPUT_MS, OPEN_MS, PENDING_MS]) this.#after(ms, () => this.#refreshStatus())
    if (!view) this.transcript.lookSoon()
    this.#refreshStatus()
    this.#refreshPreview()
    this.#notify()
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
      isBetweenRuns: view ? view.agent_pid === null || this.#isOneTurn() : taskHolder(this.task.folder) !== undefined,
      isPromptPending: pendingRun(state) !== undefined,
      isReady: view?.agent_pid !== undefined && view.agent_pid !== null && view.agent_pid === this.#readyPid,
      isSending: this.#promptsAtSend !== undefined,
    })
    const exit = state.runs.at(-1)?.exit
    const status: ChatStatus = {
      status: known.status,
      waiting_for: this.#question(known.asked),
      session_id: this.#native === null ? null : sessionId(this.agent.id, this.#native),
      title: head?.title ?? null,
      exited: view || !exit ? null : exitCodeOf({ code: exit.code, signal: exit.signal as NodeJS.Signals | null }),
    }
    const isEvent =
      status.status !== this.#status.status ||
      status.waiting_for?.id !== this.#status.waiting_for?.id ||
      // An agent that waits and is then stopped from outside has ended, although its status stays the same.
      status.exited !== this.#status.exited
    const isChanged = isEvent || JSON.stringify(status) !== JSON.stringify(this.#status)
    if (isEvent && status.status === 'stable') this.#after(UNSTORED_MS, () => this.#endTurn())
    this.#status = status
    if (isEvent || this.log.get('status') === undefined) this.log.put('status', this.#statusEvent())
    if (isChanged) this.#notify()
  }

  /** Not at every change of the screen: readers get the complete text each time. */
  #refreshPreview(): void {
    const { view } = this.host
    if (this.#isInTurn()) this.#answer.show(view?.answer)
    const wait = this.#previewAt + PREVIEW_MS - performance.now()
    if (wait <= 0) this.#showPreview()
    else this.#previewTimer ??= this.#after(wait, () => this.#showPreview())
  }

  #showPreview(): void {
    this.#previewTimer = undefined
    const isSent = this.#previews.set(this.#currentPreview(), (id) => {
      const index = this.#messages.findLastIndex((message) => message.id === id)
      return index < 0 ? undefined : { message: this.#messages[index]!, update: this.#updates[index]! }
    })
    if (!isSent) return
    this.#previewAt = performance.now()
    this.#notify()
  }

  #currentPreview(): MessagePreview | null {
    const text = this.#answer.text(this.#lastTexts(), this.host.view?.columns ?? 0)
    const draft = this.#listed?.at(-1)
    const last = this.#messages.at(-1)
    // A prompt that has not been accepted has no message to answer.
    if (text === undefined || !draft || !last || this.#promptsAtSend !== undefined) return null
    return { id: draft.role === 'agent' ? last.id : this.#history.idOf(answerKey(draft.key), last.id), text }
  }

  /** What the agent has said and stored, in this turn and the one before: both may still be on the screen. */
  #lastTexts(): string[] {
    const answers = this.#messages.filter(({ role }) => role === 'agent').slice(-2)
    return answers.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  }

  /** What the agent has not stored by now it never will. */
  #endTurn(): void {
    if (this.#isInTurn()) return
    this.#answer.clear()
    this.#showPreview()
    if (this.#unstored) this.#forget(this.#unstored)
  }

  #forget(unstored: UnstoredPrompt): void {
    if (this.#unstored !== unstored) return
    this.#unstored = undefined
    this.#readDrafts()
    this.#refreshMessages()
    this.#refreshStatus()
    this.addError(`${this.agent.title} has not stored the last message; its terminal may show why`, 'warning')
  }

  #isInTurn(): boolean {
    return this.#status.status === 'running' || this.#status.waiting_for !== null
  }

  /** The same question again is another one. */
  #question(asked: Asked | null): Question | null {
    const shown = asked ? JSON.stringify(asked) : ''
    if (shown !== this.#asked.shown) this.#asked = { shown, count: this.#asked.count + (asked ? 1 : 0) }
    return asked && { id: `${this.host.view?.agent_pid ?? 0}-${this.#asked.count}`, ...asked }
  }

  /** This run ends after its prompt, and the agent is opened again then. */
  #isOneTurn(): boolean {
    const pid = this.host.view?.agent_pid
    const run = this.transcript.state.runs.findLast(({ process }) => process?.pid === pid)
    return run?.isOneTurn === true
  }

  #statusEvent(): SseEvent {
    const { status, waiting_for } = this.#status
    const body: StatusChange = { status, agent_type: this.agent.agentapiType, waiting_for }
    return new SseEvent('status_change', () => body)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #after(ms: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, ms)
    this.#timers.add(timer.unref())
    return timer
  }
}

/** The user has rewound the session, or the agent has rewritten its transcript without this message. */
/** Not for clients of AgentAPI, which know of no such event. */
function replicaEvent(replica: Replica): SseEvent {
  return new SseEvent('replica_change', (form) => (form === 'full' ? replica : undefined))
}

function removedEvent(id: number): SseEvent {
  return new SseEvent('message_removed', (form) => (form === 'full' ? { id } : undefined))
}

function screenEvent(screen: string): SseEvent {
  return new SseEvent('screen', () => ({ screen }))
}

function errorEvent(error: AgentError): SseEvent {
  return new SseEvent('agent_error', (form) => (form === 'full' ? error : undefined))
}
