import { type ErrorKind, IonError, messageOf } from '../platform/error.ts'

/** What a host reports to the process that started it; all but `notice` are final. */
export type StartReport =
  | { readonly type: 'notice'; readonly line: string }
  | { readonly type: 'started' }
  | { readonly type: 'ended'; readonly code: number; readonly screen: string }
  | FailedReport

export interface FailedReport {
  readonly type: 'failed'
  readonly kind: ErrorKind
  readonly message: string
  readonly hint: string | undefined
}

export function failedReport(error: unknown): FailedReport {
  const { kind, hint } = error instanceof IonError ? error : { kind: 'failed' as const, hint: undefined }
  return { type: 'failed', kind, message: messageOf(error), hint }
}

/** In the process that started it. */
export function reportedError({ kind, message, hint }: FailedReport): IonError {
  return new IonError(kind, message, hint === undefined ? {} : { hint })
}

/** An agent that ends this soon after its first output has failed to start: then its screen is the answer. */
const AFTER_OUTPUT_MS = 400
/** An agent that prints nothing counts as started after this time. */
const SILENT_MS = 3000

/** Reports how the start went, once. */
export class StartReporter {
  readonly #send: (report: StartReport) => void
  #timer: NodeJS.Timeout | undefined
  #hasPrinted = false
  #isDone = false

  constructor(send: (report: StartReport) => void) {
    this.#send = send
  }

  notice(line: string): void {
    if (!this.#isDone) this.#send({ type: 'notice', line })
  }

  /** The agent is running. */
  launched(): void {
    if (!this.#hasPrinted) this.#startedIn(SILENT_MS)
  }

  /** The agent has printed something. */
  printed(): void {
    if (this.#hasPrinted) return
    this.#hasPrinted = true
    this.#startedIn(AFTER_OUTPUT_MS)
  }

  ended(code: number, screen: string): void {
    this.#finish({ type: 'ended', code, screen })
  }

  failed(error: unknown): void {
    this.#finish(failedReport(error))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #startedIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#finish({ type: 'started' }), ms)
  }

  #finish(report: StartReport): void {
    clearTimeout(this.#timer)
    if (!this.#isDone) this.#send(report)
    this.#isDone = true
  }
}
