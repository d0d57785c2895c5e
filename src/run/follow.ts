import type { Agent } from '../agents/agent.ts'
import type { Io } from '../platform/io.ts'
import type { NewsEntry } from './ledger.ts'
import type { ComposedPlan } from './plan.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable } from './session-lookup.ts'

export interface FollowOptions {
  readonly agent: Agent
  readonly composed: ComposedPlan
  readonly folder: string
  readonly io: Io
  /** When the agent was started. */
  readonly since: Date
  /** How often this text was seen in the session before. */
  readonly seenBefore: number
  readonly others: () => ReadonlySet<string>
  readonly note: (entry: NewsEntry) => void
  /** The agent says that it is in another session than the one that it was to resume. */
  readonly onOther?: (session: string) => void
}

/** Looks often at first, and then less: an agent may wait for its user for days. */
const INTERVALS_MS = [100, 100, 200, 200, 400, 400, 800, 800, 1600, 1600, 3000]

/** Follows a running agent through its store: learns its session, and sees the prompt arrive there. */
export class Follower {
  readonly #options: FollowOptions
  readonly #store: SessionLookup
  #session: string | null
  #found: LocatedSession | undefined
  #isPromptSeen: boolean
  #isConfirmed = false
  #looks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    const { agent, composed, folder, io } = options
    this.#store = new SessionLookup(agent, io, folder)
    this.#session = composed.plan.native_id
    this.#found = composed.found
    this.#isPromptSeen = composed.promptText === undefined
  }

  /** The native id, once it is known. */
  get session(): string | null {
    return this.#session
  }

  /** The session as it was found in the store. */
  get found(): LocatedSession | undefined {
    return this.#found
  }

  get isDone(): boolean {
    return this.#found !== undefined && this.#isPromptSeen
  }

  /** The agent itself said which session it is in. */
  reportSession(session: string): void {
    if (this.#session === session) return
    // A warm start is of one session. An agent that opened another one does not change which is the task's.
    if (this.#options.composed.found) {
      this.#options.onOther?.(session)
      return
    }
    this.#session = session
    this.#pin(session, [], 'told')
  }

  /** The agent itself said that it has the prompt. */
  confirm(): void {
    this.#isConfirmed = true
  }

  /** Looks until all is known. */
  begin(): void {
    const wait = INTERVALS_MS[Math.min(this.#looks++, INTERVALS_MS.length - 1)]!
    this.#timer = setTimeout(() => {
      this.look()
      if (!this.isDone) this.begin()
    }, wait)
    // The agent's process is what is waited for.
    this.#timer.unref()
  }

  /** The last look. What it said itself counts only where its store knows nothing: the session is on a server. */
  end(code: number | null): void {
    clearTimeout(this.#timer)
    this.look()
    const isHere = this.#found !== undefined && !this.#store.isRemote(this.#found.head)
    if (code === 0 && this.#isConfirmed && !isHere) this.#seePrompt()
  }

  /** One look. A store that cannot be read now is looked at again later. */
  look(): void {
    try {
      this.#lookForSession()
      this.#lookForPrompt()
    } catch (error) {
      if (!(error instanceof StoreUnreadable)) throw error
    }
  }

  #lookForSession(): void {
    if (this.#found) return
    const { composed, since, others } = this.#options
    const { plan, request: order, command, promptText } = composed
    const isTold = this.#session !== null && plan.native_id === null
    this.#found = isTold
      ? this.#store.find(this.#session!)
      : this.#store.findNew({
          session: order.session,
          sessionId: command.sessionId,
          cwd: plan.cwd,
          since,
          prompt: promptText,
          not: others(),
        })
    if (!this.#found) return
    const how = plan.native_id !== null ? 'chosen' : isTold ? 'told' : 'found'
    this.#session = this.#found.head.native_id
    this.#pin(this.#session, this.#found.files, how)
  }

  #lookForPrompt(): void {
    if (this.#isPromptSeen || !this.#found) return
    const { composed, seenBefore } = this.#options
    const { plan, promptText } = composed
    if (promptText === undefined || plan.prompt.action === 'skip') return
    if (this.#store.countPrompt(this.#found.head, promptText, seenBefore + 1) > seenBefore) this.#seePrompt()
  }

  #seePrompt(): void {
    const { composed, note } = this.#options
    const { plan } = composed
    if (this.#isPromptSeen || plan.prompt.action === 'skip') return
    this.#isPromptSeen = true
    note({ type: 'prompt', run: plan.run, hash: plan.prompt.hash, state: 'seen' })
  }

  #pin(native_id: string, files: readonly string[], how: 'chosen' | 'told' | 'found'): void {
    const { plan } = this.#options.composed
    const cwd = this.#found?.head.cwd ?? plan.cwd
    this.#options.note({ type: 'session', run: plan.run, native_id, files, cwd, how })
  }
}
