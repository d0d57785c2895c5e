import type { HostState } from '../host/watchers.ts'
import type { Question } from './contract.ts'

/** What is known about the agent at this moment. */
export interface Observation {
  /** Its terminal; undefined when no agent is running in the background. */
  readonly host:
    | Pick<
        HostState,
        'state' | 'input' | 'isAtInput' | 'isWorking' | 'drawn' | 'printed' | 'dialog' | 'question' | 'screen'
      >
    | undefined
  /** How long the terminal has not changed, as far as that is known. */
  readonly stillMs: number
  /** From the transcript: `over` when it ends with an answer, `open` while the agent is working. */
  readonly turn: 'none' | 'open' | 'over'
  /** How long the transcript has not changed. */
  readonly turnMs: number
  /** One run of the agent has ended or is about to and the next has not begun, or its terminal does not exist yet. */
  readonly isBetweenRuns: boolean
  /** A prompt was given at the start and is not in the transcript yet. */
  readonly isPromptPending: boolean
  /** This process of the agent has waited for input before, or written to the transcript. */
  readonly isReady: boolean
  /** A message is being typed. */
  readonly isSending: boolean
}

export interface Status {
  readonly status: 'stable' | 'running'
  /** What the agent asks. */
  readonly asked: Asked | null
}

/** A question before it has an id. */
export type Asked = Omit<Question, 'id'>

/** A turn that has been over for this long is over even if the screen never stops changing: some agents animate it. */
export const OVER_MS = 5000

/** A prompt that was given at the start and has not arrived after this long, with nothing changing, may never arrive. */
export const PENDING_MS = 30_000

/** An open turn in which nothing has changed for this long asks something or was abandoned. Before that it may be thinking. */
export const OPEN_MS = 7000

/** The same when the screen shows that the agent waits: an answer may be in its transcript a moment later. */
export const AT_INPUT_MS = 1000

/** Whether the agent has drawn its first screen: some take many seconds to load. */
export function hasDrawn({ printed, screen }: Pick<HostState, 'printed' | 'screen'>): boolean {
  return printed && screen.trim() !== ''
}

/** `stable`: the agent waits for input, or none is running. */
export function statusOf(observation: Observation): Status {
  const { host, stillMs, turn, turnMs, isBetweenRuns, isPromptPending, isReady, isSending } = observation
  if (!host) return { status: isBetweenRuns ? 'running' : 'stable', asked: null }
  const asked = askedBy(host)
  if (asked) return { status: 'stable', asked }
  if (isSending || isBetweenRuns || !hasDrawn(host)) return { status: 'running', asked: null }
  if (host.isWorking) return { status: 'running', asked: null }
  // There is nothing to type into yet.
  if (host.input === null) return { status: 'running', asked: null }
  if (isPromptPending && stillMs < PENDING_MS) return { status: 'running', asked: null }
  const isOver = turn === 'over' && isReady && !isPromptPending
  const isWaiting = host.state === 'waiting' && (turn !== 'open' || stillMs >= (host.isAtInput ? AT_INPUT_MS : OPEN_MS))
  const isStill = isWaiting || (isOver && (host.drawn || turnMs >= OVER_MS))
  return { status: isStill ? 'stable' : 'running', asked: null }
}

function askedBy({ dialog, question }: Pick<HostState, 'dialog' | 'question'>): Asked | null {
  if (!dialog) return null
  const { text = '', details = '', choices = [] } = question ?? {}
  return {
    text: text || dialog.asks,
    details,
    choices: choices.map((label, index) => ({ key: String(index + 1), label })),
  }
}
