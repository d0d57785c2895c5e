import type { HostState } from '../host/watchers.ts'

/** What is known of the agent at this moment. */
export interface Look {
  /** The terminal; undefined when no agent runs in the background. */
  readonly host: Pick<HostState, 'state' | 'drawn' | 'printed' | 'dialog' | 'screen'> | undefined
  /** For how long the terminal has stood still, as far as that is known. */
  readonly stillMs: number
  /** As the transcript says: an answer is the last thing in it, or the agent is at work. */
  readonly turn: 'none' | 'open' | 'over'
  /** For how long the transcript has not changed. */
  readonly turnMs: number
  /** One run of the agent is over or about to be and the next has not begun, or its terminal is not there yet. */
  readonly isBetween: boolean
  /** A prompt was given at the start and is not in the transcript yet. */
  readonly isPromptDue: boolean
  /** This process of the agent has waited for input before, or written something. */
  readonly isReady: boolean
  /** A message is on its way to the agent. */
  readonly isSending: boolean
}

export interface Status {
  readonly status: 'stable' | 'running'
  /** The dialog that only the user can answer. */
  readonly waiting_for: string | null
}

/** A turn that is over for so long is over, even where the screen is never still: some show moving pictures. */
export const OVER_MS = 5000

/** A prompt that was given with the start and has not arrived by then, with nothing moving, may never be seen. */
export const DUE_MS = 30_000

/** A turn without an answer in which nothing moves for so long asks something, or was given up. Before that it may think. */
export const OPEN_MS = 7000

/** Whether an agent has drawn its first picture: some load for many seconds before that. */
export function hasDrawn({ printed, screen }: Pick<HostState, 'printed' | 'screen'>): boolean {
  return printed && screen.trim() !== ''
}

/** `stable`: the agent waits for input, or none runs. */
export function statusOf(look: Look): Status {
  const { host, stillMs, turn, turnMs, isBetween, isPromptDue, isReady, isSending } = look
  if (!host) return { status: isBetween ? 'running' : 'stable', waiting_for: null }
  if (host.dialog) return { status: 'stable', waiting_for: `${host.dialog.id} dialog` }
  if (isSending || isBetween || !hasDrawn(host)) return { status: 'running', waiting_for: null }
  if (isPromptDue && stillMs < DUE_MS) return { status: 'running', waiting_for: null }
  const isOver = turn === 'over' && isReady && !isPromptDue
  const isWaiting = host.state === 'waiting' && (turn !== 'open' || stillMs >= OPEN_MS)
  const isStill = isWaiting || (isOver && (host.drawn || turnMs >= OVER_MS))
  return { status: isStill ? 'stable' : 'running', waiting_for: null }
}
