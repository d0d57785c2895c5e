import { type ErrorKind, IonError, messageOf } from '../platform/error.ts'
import { DRAWN_MS } from './activity.ts'

/** What a host reports to the process that started it; all but `notice` are final. */
export type StartReport =
  | { readonly type: 'notice'; readonly line: string }
  /** It has the prompt, or waits for the user; `asks`: in which dialog that was not announced before. */
  | { readonly type: 'started'; readonly asks: string | null }
  /** It is running, but not known to be ready. */
  | { readonly type: 'starting'; readonly promptDue: boolean }
  | { readonly type: 'ended'; readonly code: number; readonly screen: string; readonly promptDue: boolean }
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

/** What a host knows about an agent that it has started. */
export interface StartObservation {
  readonly sinceLaunchMs: number
  /** Since its first visible output; undefined if there was none. */
  readonly sinceOutputMs: number | undefined
  /** Since its last output. */
  readonly quietMs: number
  /** It waits for the user. */
  readonly dialog: { readonly asks: string /** The user knows. */; readonly isAnnounced: boolean } | undefined
  /** `arrived`: it is in the agent's session. */
  readonly prompt: 'none' | 'due' | 'arrived'
}

/** Without a prompt: an agent that cannot start says so and exits within this time after its first output. */
const SETTLED_MS = 1500
/** How long the user waits for an agent to get ready. */
export const START_MS = 8000

/**
 * `ready`: it has the prompt in its session, waits in a dialog, or, without a prompt, has drawn its screen. `late`: none of
 * these for so long that the user should not be kept waiting.
 */
export function startStage({
  sinceLaunchMs,
  sinceOutputMs,
  quietMs,
  dialog,
  prompt,
}: StartObservation): 'starting' | 'ready' | 'late' {
  // A dialog that is only expected, from the settings, is not there before the agent has printed anything.
  if (prompt === 'arrived' || (dialog && sinceOutputMs !== undefined)) return 'ready'
  const isLate = sinceLaunchMs >= START_MS
  const isDrawn = sinceOutputMs !== undefined && sinceOutputMs >= SETTLED_MS && (quietMs >= DRAWN_MS || isLate)
  if (prompt === 'none' && isDrawn) return 'ready'
  return isLate ? 'late' : 'starting'
}

const POLL_MS = 100

/** Reports how the start went, once. */
export class StartReporter {
  readonly #send: (report: StartReport) => void
  #timer: NodeJS.Timeout | undefined
  #isDone = false

  constructor(send: (report: StartReport) => void) {
    this.#send = send
  }

  notice(line: string): void {
    if (!this.#isDone) this.#send({ type: 'notice', line })
  }

  /** An agent is running: looks at it until it is ready or late. Called again where the agent is opened a second time. */
  launched(observe: () => StartObservation): void {
    clearInterval(this.#timer)
    if (this.#isDone) return
    this.#timer = setInterval(() => {
      const seen = observe()
      const stage = startStage(seen)
      if (stage === 'late') this.#finish({ type: 'starting', promptDue: seen.prompt === 'due' })
      else if (stage === 'ready') {
        this.#finish({ type: 'started', asks: seen.dialog?.isAnnounced === false ? seen.dialog.asks : null })
      }
    }, POLL_MS)
  }

  ended(code: number, screen: string, promptDue: boolean): void {
    this.#finish({ type: 'ended', code, screen, promptDue })
  }

  failed(error: unknown): void {
    this.#finish(failedReport(error))
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #finish(report: StartReport): void {
    clearInterval(this.#timer)
    if (!this.#isDone) this.#send(report)
    this.#isDone = true
  }
}
