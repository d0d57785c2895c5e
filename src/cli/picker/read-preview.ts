import { isProblem, type SessionItem } from '../../events/item.ts'
import { contentText } from '../../events/text.ts'
import { messageOf } from '../../platform/error.ts'
import type { Preview } from './state.ts'

/** So long the picker may be deaf while a session is read for its preview. */
const SLICE_MS = 12

/**
 * Reads a session for its preview in small slices, so that keys are heard in between. Tells the first prompt as soon
 * as it is known. Stops for good when `wanted` says no.
 */
export async function readPreview(
  id: string,
  items: () => Iterable<SessionItem>,
  wanted: () => boolean,
  tell: (preview: Preview) => void,
): Promise<void> {
  let firstPrompt: string | null = null
  let lastPrompt: string | null = null
  let lastAnswer: string | null = null
  let until = performance.now() + SLICE_MS
  try {
    for (const item of items()) {
      if (performance.now() > until) {
        await new Promise((resolve) => setImmediate(resolve))
        if (!wanted()) return
        until = performance.now() + SLICE_MS
      }
      if (isProblem(item)) continue
      const { event } = item
      if (event.type === 'user') {
        lastPrompt = contentText(event.content)
        // An answer to an earlier prompt is not the last exchange.
        lastAnswer = null
        if (firstPrompt === null) {
          firstPrompt = lastPrompt
          tell({ id, firstPrompt })
        }
      } else if (event.type === 'assistant') lastAnswer = contentText(event.content) || lastAnswer
    }
    tell({ id, firstPrompt, lastPrompt, lastAnswer })
  } catch (error) {
    tell({ id, firstPrompt, problem: messageOf(error) })
  }
}
