import { questionKey } from '../host/activity.ts'
import { messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { waitUntil } from '../platform/wait.ts'
import { appendAnswer, type RecordedAnswer } from './answers.ts'
import type { Chat } from './chat.ts'
import type { AnswerRequest, Question } from './contract.ts'

interface Refusal {
  readonly status: 409 | 422 | 500
  readonly detail: string
}

const ARROWS = { column: ['\x1b[A', '\x1b[B'], row: ['\x1b[D', '\x1b[C'] } as const
const ESCAPE = '\x1b'
/** `No, and say what to do instead (esc)`: chosen with Enter, it may open a field to type in. */
const ESCAPE_CHOICE = /\(esc\b[^)]*\)$/i
/** For the complete answer. */
const TIMEOUT_MS = 10_000
/** A key that has not moved the mark after this long was lost. */
const MOVED_MS = 1500

const NOT_ASKED: Refusal = { status: 409, detail: 'the agent no longer asks this question' }
const OTHER_ANSWER: Refusal = { status: 409, detail: 'another answer is being given' }
/** Of the name of who answers. */
const MAX_NAME = 80

/** A second Enter could answer the next question, and it would not be known whose answer was taken. */
const answering = new WeakSet<Chat>()

/** Answers what the agent asks, and records who did when the agent has taken it. Returns why it was not answered. */
export async function answerQuestion(chat: Chat, request: AnswerRequest, io: Io): Promise<Refusal | undefined> {
  const asked = chat.status.waiting_for
  if (asked?.id !== request.question) return NOT_ASKED
  const target = asked.choices.findIndex(({ key }) => key === request.choice)
  if (target < 0) {
    const keys = asked.choices.map(({ key }) => key).join(', ')
    const detail = keys === '' ? 'this question can only be answered in the terminal' : `choice must be one of ${keys}`
    return { status: 422, detail }
  }
  if (answering.has(chat)) return OTHER_ANSWER
  answering.add(chat)
  try {
    const pressed = await choose(chat, asked, target, io)
    if ('status' in pressed) return pressed
    const { text, details, choices } = asked
    record(chat, { ...pressed, question: text, details, choice: choices[target]!.label, by: nameOf(request.by) })
    return undefined
  } finally {
    answering.delete(chat)
  }
}

/** When the choice was made, and after what in the session. */
type Moment = Pick<RecordedAnswer, 'at' | 'after' | 'session' | 'earlier'>

/**
 * Moves the mark to a choice with the arrow keys and presses Enter, looking at the screen after every key: a number or
 * Enter alone could accept something else if the screen has changed. Only where nothing is marked is the choice typed.
 */
async function choose(chat: Chat, asked: Question, target: number, io: Io): Promise<Moment | Refusal> {
  const { host } = chat
  const deadline = performance.now() + TIMEOUT_MS
  const isAsked = (): boolean => chat.status.waiting_for?.id === asked.id
  const marked = (): number | undefined => (isAsked() ? host.view?.question?.marked : undefined)
  const shown = host.view?.question
  if (!shown) return NOT_ASKED
  const { typed, isRow } = shown
  const options = { if: { question: questionKey(shown) } }
  const [back, forward] = ARROWS[isRow ? 'row' : 'column']
  const isEscape = ESCAPE_CHOICE.test(asked.choices[target]!.label)
  for (let at = marked(); at !== target && !isEscape && !typed; at = marked()) {
    if (at === undefined) return NOT_ASKED
    if (performance.now() > deadline) return { status: 500, detail: 'the agent does not react to the arrow keys' }
    if (!(await host.type(target > at ? forward : back, options))) return NOT_ASKED
    await waitUntil(() => marked() !== at, MOVED_MS)
  }
  const moment = momentOf(chat, io)
  if (!(await host.type(typed?.[target] ?? (isEscape ? ESCAPE : '\r'), options))) return NOT_ASKED
  const isAnswered = await waitUntil(() => !isAsked(), deadline - performance.now())
  return isAnswered ? moment : { status: 500, detail: 'the agent still asks' }
}

function momentOf({ transcript: { head, state, conversation } }: Chat, io: Io): Moment {
  return {
    at: io.now().toISOString(),
    after: conversation.lastId ?? null,
    session: head?.native_id ?? state.session?.native_id ?? null,
    earlier: state.past.length,
  }
}

/** It was given all the same, so a failure is no reason to refuse it. */
function record(chat: Chat, answer: RecordedAnswer): void {
  try {
    appendAnswer(chat.task.folder, answer)
    chat.transcript.lookSoon()
  } catch (error) {
    chat.addError(`the answer was given, but could not be recorded: ${messageOf(error)}`, 'warning')
  }
}

function nameOf(by = ''): string {
  const name = plain(by).replace(/\s+/g, ' ').trim()
  return [...name].slice(0, MAX_NAME).join('').trim() || 'HTTP'
}
