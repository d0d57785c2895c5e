import type { Agent, Source } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import { isEvent, isProblem, type Problem, type ProblemCode } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { type ReadContext, readContext } from '../native/read-context.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import { sleepSync } from '../platform/wait.ts'
import { isSamePrompt } from './prompt.ts'

/** Identifies the session of a cold start. */
export interface SessionQuery {
  /** The UUID of the cold start. */
  readonly session: string
  /** `reported`: the agent did not accept that UUID, whatever its adapter says. */
  readonly sessionId?: 'reported' | undefined
  readonly cwd: string
  /** It was created after this; undefined if the clock cannot be trusted. */
  readonly since: Date | undefined
  /** The exact text that was sent. */
  readonly prompt: string | undefined
  /** Native ids of other sessions. Asked only about sessions that match otherwise. */
  readonly not: Pick<ReadonlySet<string>, 'has'>
}

/** A session, and the files of its source, to find it again without searching. */
export interface LocatedSession {
  readonly head: SessionHead
  readonly files: readonly string[]
}

/** File systems and agents store coarse times. */
const SLACK_MS = 2500

/** Finds sessions in an agent's store. Reads heads, and bodies only to look for a prompt. */
export class SessionLookup {
  readonly #agent: Agent
  readonly #io: Io
  readonly #taskFolder: string

  constructor(agent: Agent, io: Io, taskFolder: string) {
    this.#agent = agent
    this.#io = io
    this.#taskFolder = taskFolder
  }

  /** Finds a session by native id: in its known files, then by file name, then anywhere. Throws if the store cannot be read. */
  find(nativeId: string, files: readonly string[] = []): LocatedSession | undefined {
    const reading = readContext(this.#io)
    const known = sourceOf(files)
    const inKnown = known && this.#heads([known], reading, (head) => head.native_id === nativeId)[0]
    if (inKnown) return inKnown
    const rank = ({ path }: Source): number => (path.includes(nativeId.slice(0, 8)) ? 0 : 1)
    const likelyFirst = this.#sources(reading).sort((a, b) => rank(a) - rank(b))
    return this.#heads(likelyFirst, reading, (head) => head.native_id === nativeId)[0]
  }

  /** The session that a cold start created; undefined if it does not exist yet. */
  findNew(wanted: SessionQuery): LocatedSession | undefined {
    const reading = readContext(this.#io)
    const from = wanted.since === undefined ? 0 : wanted.since.getTime() - SLACK_MS
    const changed = this.#sources(reading).filter((source) => source.files.some(({ mtimeMs }) => mtimeMs >= from))
    const { sessionId, matchesRequest, recordedCwd } = this.#agent.start!
    if ((wanted.sessionId ?? sessionId) === 'assigned')
      return this.#heads(changed, reading, (head) => head.native_id === wanted.session)[0]
    const candidates = this.#heads(
      changed,
      reading,
      (head) => isCandidate(head, { ...wanted, cwd: recordedCwd?.(wanted.cwd) ?? wanted.cwd }, from),
      Number.POSITIVE_INFINITY,
    )
    if (matchesRequest) return candidates.find(({ head }) => matchesRequest(head, wanted.session))
    const prompt = wanted.prompt
    if (prompt === undefined) return candidates[0]
    return candidates.find(({ head }) => this.isRemote(head) || this.countPrompt(head, prompt, 1) > 0)
  }

  /** All sessions that may be wanted, in sources that changed since then. */
  matching(since: Date, wants: (head: SessionHead) => boolean): LocatedSession[] {
    const reading = readContext(this.#io)
    const changed = this.#sources(reading).filter(({ files }) =>
      files.some(({ mtimeMs }) => mtimeMs >= since.getTime()),
    )
    return this.#heads(changed, reading, wants, Number.POSITIVE_INFINITY)
  }

  /** Whether the transcript is on the agent's server, where Ion cannot read it. */
  isRemote(head: SessionHead): boolean {
    return this.#agent.start?.remote?.isRemoteOnly(head) ?? false
  }

  /** How often the prompt is in the transcript as a user message; stops at `enough`. */
  countPrompt(head: SessionHead, prompt: string, enough: number): number {
    let count = 0
    for (const event of this.events(head)) {
      if (event.type !== 'user' || !isSamePrompt(contentText(event.content), prompt, this.#taskFolder)) continue
      if (++count >= enough) break
    }
    return count
  }

  /** Throws if the store cannot be read: a prompt that is not found then may be there. */
  *events(head: SessionHead): Generator<IonEvent> {
    for (const item of this.#agent.read(head, readContext(this.#io))) {
      if (isEvent(item)) yield item.event
      else if (isProblem(item) && item.retryable) throw new StoreUnreadable(item)
    }
  }

  #sources(reading: ReadContext): Source[] {
    const found: Source[] = []
    for (const source of this.#agent.sources(reading)) {
      if (!isProblem(source)) found.push(source)
      else if (HIDING.includes(source.code)) throw new StoreUnreadable(source)
    }
    return found
  }

  #heads(
    sources: readonly Source[],
    reading: ReadContext,
    wants: (head: SessionHead) => boolean,
    enough = 1,
  ): LocatedSession[] {
    const found: LocatedSession[] = []
    for (const source of sources) {
      for (const head of this.#agent.heads(source, reading)) {
        if (isProblem(head)) {
          if (head.retryable) throw new StoreUnreadable(head)
        } else if (wants(head)) found.push({ head, files: source.files.map(({ path }) => path) })
        if (found.length >= enough) return found
      }
    }
    return found
  }
}

function sourceOf(paths: readonly string[]): Source | undefined {
  const files = paths.flatMap((path) => stampOf(path) ?? [])
  return files[0] && files[0].path === paths[0] ? { path: files[0].path, files } : undefined
}

/** The store cannot be read, so its content is unknown. */
export class StoreUnreadable extends Error {
  /** Probably over in a moment: the agent is writing. */
  readonly isTransient: boolean

  constructor({ problem, path, retryable }: Problem) {
    super(`${path}: ${problem}`)
    this.name = 'StoreProblem'
    this.isTransient = retryable === true
  }
}

/** A database that another session of the agent is writing to is free again within these two seconds. */
const TRIES = 20
const WAIT_MS = 100

/** Tries again while the agent is writing; throws `StoreUnreadable` if that takes too long. */
export function whenReadable<T>(read: () => T): T {
  for (let tries = 1; ; tries++) {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof StoreUnreadable) || !error.isTransient || tries === TRIES) throw error
    }
    sleepSync(WAIT_MS)
  }
}

/** What it hides may be the session that is looked for. Anything else, such as a folder in a file's place, is not one. */
const HIDING: readonly ProblemCode[] = ['cannot_read', 'locked', 'damaged']

function isCandidate(head: SessionHead, { cwd, not }: SessionQuery, from: number): boolean {
  if (head.parent_session || (head.cwd !== null && head.cwd !== cwd)) return false
  if (head.created_at !== null && Date.parse(head.created_at) < from) return false
  return !not.has(head.native_id)
}
