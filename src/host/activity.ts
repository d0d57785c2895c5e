import type { Dialog, DialogScreen } from '../agents/start.ts'

/** What an agent in the background is at, as far as its terminal tells. */
export interface Activity {
  readonly state: 'working' | 'waiting'
  /** The dialog that only the user can answer: its id, and what it asks. */
  readonly dialog: { readonly id: string; readonly asks: string } | null
}

export interface Look {
  /** Since the agent last printed something. */
  readonly quietMs: number
  /** What its screen shows. */
  readonly text: string
  readonly screens: readonly DialogScreen[]
  /** What will ask before the prompt arrives; empty once it has. */
  readonly expected: readonly Dialog[]
}

/** A screen that is still being drawn is not looked at. */
export const DRAWN_MS = 300
/** An agent that works turns a wheel or prints; one that has printed nothing for so long waits. */
export const WAITING_MS = 3000

export function activityOf({ quietMs, text, screens, expected }: Look): Activity {
  if (quietMs < DRAWN_MS) return { state: 'working', dialog: null }
  const shown = screens.find(({ pattern }) => pattern.test(text))
  if (shown) return { state: 'waiting', dialog: { id: shown.id, asks: shown.asks } }
  if (quietMs < WAITING_MS) return { state: 'working', dialog: null }
  const [first] = expected
  return { state: 'waiting', dialog: first ? { id: first.id, asks: first.asks } : null }
}
