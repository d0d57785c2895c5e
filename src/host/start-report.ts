import { type ErrorKind, IonError, messageOf } from '../platform/error.ts'

/** What a host tells the one who started it; the last three are its last word. */
export type StartReport =
  | { readonly type: 'say'; readonly line: string }
  | { readonly type: 'started' }
  | { readonly type: 'ended'; readonly code: number; readonly screen: string }
  | { readonly type: 'failed'; readonly kind: ErrorKind; readonly message: string; readonly hint: string | undefined }

/** An agent that ends so shortly after its first words was not started: then they are the answer. */
const AFTER_WORDS_MS = 400
/** One that takes long to say anything is not waited for. */
const SILENT_MS = 3000

/** Tells how the start went, once. */
export class StartNews {
  readonly #tell: (news: StartReport) => void
  #timer: NodeJS.Timeout | undefined
  #hasSpoken = false
  #isOver = false

  constructor(tell: (news: StartReport) => void) {
    this.#tell = tell
  }

  say(line: string): void {
    if (!this.#isOver) this.#tell({ type: 'say', line })
  }

  /** The agent is running. */
  launched(): void {
    if (!this.#hasSpoken) this.#startedIn(SILENT_MS)
  }

  /** The agent has printed something. */
  spoke(): void {
    if (this.#hasSpoken) return
    this.#hasSpoken = true
    this.#startedIn(AFTER_WORDS_MS)
  }

  ended(code: number, screen: string): void {
    this.#last({ type: 'ended', code, screen })
  }

  failed(error: unknown): void {
    const { kind, hint } = error instanceof IonError ? error : { kind: 'failed' as const, hint: undefined }
    this.#last({ type: 'failed', kind, message: messageOf(error), hint })
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #startedIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#last({ type: 'started' }), ms)
  }

  #last(news: StartReport): void {
    clearTimeout(this.#timer)
    if (!this.#isOver) this.#tell(news)
    this.#isOver = true
  }
}
