import type { Dialog, DialogScreen } from '../agents/start.ts'

/** What an agent in the background is doing, judged by its terminal. */
export interface Activity {
  readonly state: 'working' | 'waiting'
  /** The dialog that only the user can answer: its id, and what it asks. */
  readonly dialog: { readonly id: string; readonly asks: string } | null
}

export interface Observation {
  /** Since the agent last printed something. */
  readonly quietMs: number
  /** What its screen shows. */
  readonly text: string
  readonly screens: readonly DialogScreen[]
  /** Dialogs that come before the prompt arrives; empty once it has. */
  readonly expected: readonly Dialog[]
}

/** A screen that has changed more recently is still being drawn. */
export const DRAWN_MS = 300
/** A working agent prints or animates something; one that has printed nothing for this long is waiting. */
export const WAITING_MS = 3000

export function activityOf({ quietMs, text, screens, expected }: Observation): Activity {
  if (quietMs < DRAWN_MS) return { state: 'working', dialog: null }
  const shown = screens.find(({ pattern }) => pattern.test(text))
  if (shown) return { state: 'waiting', dialog: { id: shown.id, asks: shown.asks } }
  if (quietMs < WAITING_MS) return { state: 'working', dialog: null }
  const [first] = expected
  return { state: 'waiting', dialog: first ? { id: first.id, asks: first.asks } : null }
}
