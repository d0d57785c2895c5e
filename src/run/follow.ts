import type { Agent } from '../agents/agent.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { SessionFollower } from '../live/session-follower.ts'
import type { Io } from '../platform/io.ts'
import type { NewsEntry } from './ledger.ts'
import type { ComposedPlan } from './plan.ts'
import { isSamePrompt } from './prompt.ts'
import { type LocatedSession, SessionLookup, StoreUnreadable } from './session-lookup.ts'

export interface FollowOptions {
  readonly agent: Agent
  readonly composed: ComposedPlan
  readonly folder: string
  readonly io: Io
  /** When the agent was started. */
  readonly since: Date
  /** How often this prompt was in the session before the start. */
  readonly seenBefore: number
  /** Sessions of other tasks. Called only when a session is found that may be the new one. */
  readonly others: () => ReadonlySet<string>
  readonly note: (entry: NewsEntry) => void
  /** The task is kept in a store, which gets the session only once it is known which one it is. */
  readonly isReplicated?: boolean
  /** The agent reported another session than the one it was to resume. */
  readonly onOther?: (session: string) => void
}

/** Looks often at first, then less: an agent may wait for its user for days. */
const INTERVALS_MS = [100, 100, 200, 200, 400, 400, 800, 800, 1600, 1600, 3000]
/** A replica may be a second behind, and takes half of that itself. */
const REPLICATED_MS = 250

/** Watches a running agent's store: finds out which session it is in, and sees the prompt arrive there. */
export class Follower {
  readonly #options: FollowOptions
  readonly #store: SessionLookup
  readonly #follower: SessionFollower
  /** Ids of the user's messages that are the prompt. */
  readonly #arrivals = new Set<string>()
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
    this.#follower = new SessionFollower(agent, io, 'everything')
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

  /** The prompt, if there is one, is in the session. */
  get isPromptSeen(): boolean {
    return this.#isPromptSeen
  }

  get isDone(): boolean {
    return this.#found !== undefined && this.#isPromptSeen
  }

  /** The agent reported which session it is in. */
  reportSession(session: string): void {
    if (this.#session === session) return
    // A warm start resumes one session. If the agent opens another, the task keeps its own.
    if (this.#options.composed.found) {
      this.#options.onOther?.(session)
      return
    }
    this.#session = session
    this.#pin(session, [], 'told')
  }

  /** The agent reported that it has received the prompt. */
  confirm(): void {
    this.#isConfirmed = true
  }

  /** Looks until everything is known. */
  begin(): void {
    const usual = INTERVALS_MS[Math.min(this.#looks++, INTERVALS_MS.length - 1)]!
    const wait = this.#options.isReplicated ? Math.min(usual, REPLICATED_MS) : usual
    this.#timer = setTimeout(() => {
      this.look()
      if (!this.isDone) this.begin()
    }, wait)
    // The agent's process keeps Ion running, not this timer.
    this.#timer.unref()
  }

  /** The last look. The agent's own report counts only when its store cannot tell: the session is on a server. */
  end(code: number | null): void {
    clearTimeout(this.#timer)
    this.look(true)
    this.#follower.close()
    const isHere = this.#found !== undefined && !this.#store.isRemote(this.#found.head)
    if (code === 0 && this.#isConfirmed && !isHere) this.#seePrompt()
  }

  /** A store that cannot be read now is looked at again later. */
  look(isLast = false): void {
    try {
      this.#lookForSession()
      this.#lookForPrompt(isLast)
    } catch (error) {
      if (!(error instanceof StoreUnreadable)) throw error
    }
  }

  #lookForSession(): void {
    if (this.#found) return
    const { composed, since, others } = this.#options
    const { plan, request, command, promptText } = composed
    const isReported = this.#session !== null && plan.native_id === null
    let otherSessions: ReadonlySet<string> | undefined
    this.#found = isReported
      ? this.#store.find(this.#session!)
      : this.#store.findNew({
          session: request.session,
          sessionId: command.sessionId,
          cwd: plan.cwd,
          since,
          prompt: promptText,
          not: { has: (id) => (otherSessions ??= others()).has(id) },
        })
    if (!this.#found) return
    const how = plan.native_id !== null ? 'chosen' : isReported ? 'told' : 'found'
    this.#session = this.#found.head.native_id
    this.#pin(this.#session, this.#found.files, how)
  }

  #lookForPrompt(isLast: boolean): void {
    if (this.#isPromptSeen || !this.#found) return
    const { composed, seenBefore } = this.#options
    const { plan, promptText } = composed
    if (promptText === undefined || plan.prompt.action === 'skip') return
    const { head } = this.#found
    // A follower waits for the end of the last line; of an agent that has ended it may never come.
    const count = isLast
      ? this.#store.countPrompt(head, promptText, seenBefore + 1)
      : this.#countPrompt(head, promptText)
    if (count > seenBefore) this.#seePrompt()
  }

  #countPrompt(head: SessionHead, prompt: string): number {
    const { kind, items } = this.#follower.read(head)
    if (kind === 'all') this.#arrivals.clear()
    for (const item of items) {
      if (isProblem(item)) continue
      const { event } = item
      const isPrompt = event.type === 'user' && isSamePrompt(contentText(event.content), prompt, this.#options.folder)
      if (isPrompt) this.#arrivals.add(event.id)
      else if (kind === 'changed') this.#arrivals.delete(event.id)
    }
    const present = kind === 'changed' ? this.#follower.order()?.filter((id) => this.#arrivals.has(id)) : undefined
    return present?.length ?? this.#arrivals.size
  }

  #seePrompt(): void {
    const { composed, note } = this.#options
    const { plan } = composed
    if (this.#isPromptSeen || plan.prompt.action === 'skip') return
    this.#isPromptSeen = true
    this.#follower.close()
    note({ type: 'prompt', run: plan.run, hash: plan.prompt.hash, state: 'seen' })
  }

  #pin(native_id: string, files: readonly string[], how: 'chosen' | 'told' | 'found'): void {
    const { plan } = this.#options.composed
    const cwd = this.#found?.head.cwd ?? plan.cwd
    this.#options.note({ type: 'session', run: plan.run, native_id, files, cwd, how })
  }
}
