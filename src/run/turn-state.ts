import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'

/** How a session stands. */
export interface TurnState {
  /** Whether the last turn came to its end: an answer is the last thing in it. */
  readonly finished: boolean
  /** The last text of the agent; null when it has not said anything. */
  readonly answer: string | null
}

/** Goes through all events: the end of a session is not at a known place in most stores. */
export function turnState(events: Iterable<IonEvent>): TurnState {
  let finished = false
  let answer: string | null = null
  for (const event of events) {
    if (event.type === 'assistant') {
      const text = contentText(event.content)
      if (text.trim() === '') continue
      finished = true
      answer = text
    } else if (event.type === 'system') {
      // What the agent had said before is not its answer.
      if (event.subtype === 'interrupted' || event.subtype === 'api_error') finished = false
    } else if (event.type === 'user' || event.type === 'tool_use' || event.type === 'tool_result') {
      finished = false
    } else if (event.type === 'session_end') {
      finished = event.reason === 'completed'
    }
  }
  return { finished, answer }
}
