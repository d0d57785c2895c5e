import { waitUntil } from '../platform/wait.ts'
import type { Chat } from './chat.ts'
import type { AnswerRequest } from './contract.ts'

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

/**
 * Moves the mark to a choice with the arrow keys and presses Enter, looking at the screen after every key: a number or
 * Enter alone could accept something else if the screen has changed. Only where nothing is marked is the choice typed.
 * Returns why it was not answered.
 */
export async function answerQuestion(chat: Chat, { question, choice }: AnswerRequest): Promise<Refusal | undefined> {
  const { host } = chat
  const asked = chat.status.waiting_for
  if (asked?.id !== question) return NOT_ASKED
  const target = asked.choices.findIndex(({ key }) => key === choice)
  if (target < 0) {
    const keys = asked.choices.map(({ key }) => key).join(', ')
    const detail = keys === '' ? 'this question can only be answered in the terminal' : `choice must be one of ${keys}`
    return { status: 422, detail }
  }
  const deadline = performance.now() + TIMEOUT_MS
  const marked = (): number | undefined =>
    chat.status.waiting_for?.id === question ? host.view?.question?.marked : undefined
  const { typed, isRow } = host.view?.question ?? {}
  const [back, forward] = ARROWS[isRow ? 'row' : 'column']
  const isEscape = ESCAPE_CHOICE.test(asked.choices[target]!.label)
  for (let at = marked(); at !== target && !isEscape && !typed; at = marked()) {
    if (at === undefined) return NOT_ASKED
    if (performance.now() > deadline) return { status: 500, detail: 'the agent does not react to the arrow keys' }
    if (!(await host.type(target > at ? forward : back))) return NOT_ASKED
    await waitUntil(() => marked() !== at, MOVED_MS)
  }
  if (!(await host.type(typed?.[target] ?? (isEscape ? ESCAPE : '\r')))) return NOT_ASKED
  const isAnswered = await waitUntil(() => chat.status.waiting_for?.id !== question, deadline - performance.now())
  return isAnswered ? undefined : { status: 500, detail: 'the agent still asks' }
}
