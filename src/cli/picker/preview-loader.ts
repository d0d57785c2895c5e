import { readSession } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { isProblem } from '../../events/item.ts'
import { contentText } from '../../events/text.ts'
import { messageOf } from '../../platform/error.ts'
import { PAUSE_MS, type PickerHandle } from './handle.ts'
import { type Preview, selectedRow } from './state.ts'

/** How long reading a preview may block the keyboard. */
const SLICE_MS = 12

/** Reads the selected session for its preview, when the selection has rested for a moment. */
export class PreviewLoader {
  readonly #picker: PickerHandle
  readonly #known = new Map<string, Preview>()
  #timer: NodeJS.Timeout | undefined

  constructor(picker: PickerHandle) {
    this.#picker = picker
  }

  load(row: SessionRow | undefined): void {
    this.stop()
    if (!row) return
    const known = this.#known.get(versionOf(row))
    if (known) this.#picker.dispatch({ type: 'preview', preview: known })
    else this.#timer = setTimeout(() => void this.#read(row), PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** In small slices, so that keys are handled in between. The first prompt is shown as soon as it is known. */
  async #read(row: SessionRow): Promise<void> {
    const { id } = row
    let firstPrompt: string | null = null
    let lastPrompt: string | null = null
    let lastAnswer: string | null = null
    let until = performance.now() + SLICE_MS
    try {
      for (const item of readSession(this.#picker.catalog.locate(row), this.#picker.io)) {
        if (performance.now() > until) {
          await new Promise((resolve) => setImmediate(resolve))
          if (!this.#picker.isOpen || selectedRow(this.#picker.state)?.id !== id) return
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
            this.#show({ id, firstPrompt })
          }
        } else if (event.type === 'assistant') lastAnswer = contentText(event.content) || lastAnswer
      }
      const preview = { id, firstPrompt, lastPrompt, lastAnswer }
      this.#known.set(versionOf(row), preview)
      this.#show(preview)
    } catch (error) {
      this.#show({ id, firstPrompt, problem: messageOf(error) })
    }
  }

  #show(preview: Preview): void {
    this.#picker.guard(() => this.#picker.dispatch({ type: 'preview', preview }))
  }
}

/** Another text for a session that has changed. */
export function versionOf({ id, path, updated_at }: SessionRow): string {
  return `${id} ${path} ${updated_at}`
}
