import type { Message } from '../api/contract.ts'

/** A turn whose beginning is known. */
export interface Turn {
  /** Id of the last prompt in the transcript. */
  readonly prompt: number
  /** On the server's clock. */
  readonly since: number
}

/**
 * When the current turn began: the transcript's time of its prompt. Some agents write the prompt only when the turn is over;
 * then it began when this page first saw it. `known` is what was found before, also before a reload: between two steps the
 * conversation may look as if the turn was over.
 */
export function currentTurn(messages: readonly Message[], known: Turn | undefined, now: number): Turn {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const prompt = messages[at]
  const id = prompt?.id ?? -1
  if (known?.prompt === id) return known
  const isOpen = !messages.slice(at + 1).some(({ done }) => done)
  const time = Date.parse(prompt?.time ?? '')
  return { prompt: id, since: isOpen && time <= now ? time : now }
}
