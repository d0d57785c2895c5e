import type { ScreenQuestion, ScreenRow } from '../agents/screen.ts'
import type { Dialog, DialogScreen, Start } from '../agents/start.ts'
import { readQuestion } from './question.ts'

/** What an agent in the background is doing, judged by its terminal. */
export interface Activity {
  readonly state: 'working' | 'waiting'
  /** What only the user can answer: its id, and what it asks. */
  readonly dialog: { readonly id: string; readonly asks: string } | null
  /** The same with its answers, where they can be read from the screen. */
  readonly question: ScreenQuestion | null
  /** What the box for messages holds; null when the screen shows none, undefined for an agent whose box is not known. */
  readonly input?: string | null
  /** The box is on the screen, empty, and this agent hides it while it works, or says when it works: it waits for input. */
  readonly isAtInput?: true
  /** The screen says whether the agent works. */
  readonly isWorking?: boolean
}

type ScreenStart = Pick<Start, 'screens' | 'readInput' | 'readQuestion' | 'hidesInputWhileWorking' | 'isWorking'>

/** What could be read from the screen. */
export type ScreenReading = Pick<Activity, 'question' | 'input' | 'isWorking'>

/** What the screen must show for text to be typed. The host looks itself: a client's view of it may be out of date. */
export interface TypeCondition {
  /** This question (see `questionKey`); null: none. */
  readonly question?: string | null
  /** The box for messages holds something, where it is known. */
  readonly isFilled?: true
}

export interface Observation {
  /** Since the agent last printed something; if its screen says that it does not work, since when it says so. */
  readonly quietMs: number
  /** What its screen shows. */
  readonly text: string
  readonly reading: ScreenReading
  /** Since when this question is on the screen: some agents animate other parts of it. */
  readonly questionMs: number
  readonly start: ScreenStart
  /** Dialogs that come before the prompt arrives; empty once it has. */
  readonly expected: readonly Dialog[]
  /** This program has not shown its box yet. */
  readonly isOpening: boolean
}

/** A screen that has changed more recently is still being drawn. */
export const DRAWN_MS = 300
/** A working agent prints or animates something; one that has printed nothing for this long is waiting. */
export const WAITING_MS = 3000
/** The same before it has shown its box for the first time: on a busy machine some draw a part of their screen, and load. */
export const OPENING_MS = 10_000

/** The id of a question that the agent asks in a turn. */
export const QUESTION = 'question'
/** The id of a screen that is neither the box, nor a question, nor work: nothing is typed into it. */
const UNKNOWN = { id: 'unknown', asks: 'shows a screen that Ion does not know' }

export function readScreen(rows: readonly ScreenRow[], start: ScreenStart): ScreenReading {
  const { readInput, readQuestion: own } = start
  if (!readInput) return { question: own?.(rows) ?? null }
  const input = readInput(rows) ?? null
  // With the box on the screen such a list is part of the conversation.
  const question = input === null ? (own?.(rows) ?? readQuestion(rows) ?? null) : null
  return { input, question, ...(start.isWorking ? { isWorking: start.isWorking(rows) } : {}) }
}

export function activityOf(observation: Observation): Activity {
  const { quietMs, text, reading, questionMs, start, expected, isOpening } = observation
  const isDrawn = quietMs >= DRAWN_MS
  const hasBox = typeof reading.input === 'string'
  const question = isDrawn || questionMs >= DRAWN_MS ? reading.question : null
  const screen = (isDrawn || question) && !hasBox ? start.screens?.find(({ pattern }) => pattern.test(text)) : undefined
  const asked = screen ?? (question ? { id: QUESTION, asks: `asks: ${question.text}` } : undefined)
  if (asked) return { ...reading, state: 'waiting', dialog: dialogOf(asked), question }
  if (reading.isWorking) return { ...reading, state: 'working', dialog: null, question: null }
  if (isDrawn && reading.input === '' && (start.hidesInputWhileWorking || start.isWorking))
    return { ...reading, state: 'waiting', dialog: null, question: null, isAtInput: true }
  if (quietMs < WAITING_MS) return { ...reading, state: 'working', dialog: null, question: null }
  const isUnknown = reading.input === null && text.trim() !== ''
  const isLoading = isOpening && expected.length === 0 && quietMs < OPENING_MS
  if (isUnknown && (start.hidesInputWhileWorking || isLoading))
    return { ...reading, state: 'working', dialog: null, question: null }
  const waits = expected[0] ?? (isUnknown ? UNKNOWN : undefined)
  return { ...reading, state: 'waiting', dialog: waits ? dialogOf(waits) : null, question: null }
}

/** The same as long as the same is asked, whichever choice is marked. */
export function questionKey(question: ScreenQuestion): string {
  return JSON.stringify({ ...question, marked: 0 })
}

export function isMet({ question, isFilled }: TypeCondition, reading: ScreenReading): boolean {
  if (question !== undefined && question !== (reading.question && questionKey(reading.question))) return false
  return !isFilled || reading.input === undefined || Boolean(reading.input)
}

function dialogOf({ id, asks }: Pick<Dialog | DialogScreen, 'id' | 'asks'>): Activity['dialog'] {
  return { id, asks }
}
