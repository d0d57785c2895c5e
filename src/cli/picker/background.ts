import type { Catalog } from '../../catalog/catalog.ts'
import { readSession } from '../../catalog/read-session.ts'
import { parseQueryText } from '../../catalog/search/parse-query.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import { isProblem } from '../../events/item.ts'
import { contentText } from '../../events/text.ts'
import { messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { describe } from '../progress.ts'
import { type PickerState, type Preview, selectedRow } from './state.ts'
import { type Action, matchRows } from './update.ts'

/** What the work behind the picker may do with it. */
export interface PickerHandle {
  readonly catalog: Catalog
  readonly filter: SessionFilter
  readonly io: Io
  /** Folders by the user's names for them. */
  readonly projects: ReadonlyMap<string, string>
  readonly state: PickerState
  readonly isOpen: boolean
  dispatch(action: Action): void
  /** Draws immediately, for work that blocks the event loop. */
  paint(): void
  /** An error in `work` closes the picker. Does nothing once it is closed. */
  guard(work: () => void): void
}

/** Wait for a pause in typing or scrolling before doing anything slow. */
const PAUSE_MS = 80

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
    const known = this.#known.get(keyOf(row))
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
      this.#known.set(keyOf(row), preview)
      this.#show(preview)
    } catch (error) {
      this.#show({ id, firstPrompt, problem: messageOf(error) })
    }
  }

  #show(preview: Preview): void {
    this.#picker.guard(() => this.#picker.dispatch({ type: 'preview', preview }))
  }
}

function keyOf({ id, updated_at }: SessionRow): string {
  return `${id} ${updated_at}`
}

/** If fewer sessions match by name, their text is searched as well. */
const FEW_MATCHES = 12
const MAX_HITS = 100

/** Searches the text of sessions for the query, when typing has paused and few match by name. */
export class TextSearch {
  readonly #picker: PickerHandle
  #timer: NodeJS.Timeout | undefined

  constructor(picker: PickerHandle) {
    this.#picker = picker
  }

  /** Searches for the current query after a pause, in place of an earlier one. */
  schedule(): void {
    this.stop()
    const { query, matches } = this.#picker.state
    if (query.trim().length < 2 || matches.length > FEW_MATCHES) return
    this.#timer = setTimeout(() => this.#picker.guard(() => this.#search(query)), PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #search(query: string): void {
    const result = this.#resultOf(query)
    if (!result) return
    this.#picker.dispatch({ type: 'texts', texts: { query, hits: result.hits } })
  }

  #resultOf(query: string): ReturnType<Catalog['search']> | undefined {
    try {
      const parts = parseQueryText(query, { ...this.#picker.io, projects: this.#picker.projects })
      if (parts.wanted.length === 0) return undefined
      const agents = parts.agents.length ? parts.agents : (this.#picker.filter.agents ?? [])
      return this.#picker.catalog.search({ ...parts, agents, order: 'newest', limit: MAX_HITS })
    } catch {
      // An unfinished query (`since:`) is no error while it is being typed.
      return undefined
    }
  }
}

const REPAINT_MS = 100

/** Updates the index behind the picker: first the recent sessions, then all. */
export class IndexUpdater {
  readonly #picker: PickerHandle
  readonly #onUpdated: () => void
  #timer: NodeJS.Timeout | undefined
  #lastPaintAt = 0

  constructor(picker: PickerHandle, onUpdated: () => void) {
    this.#picker = picker
    this.#onUpdated = onUpdated
  }

  start(): void {
    setImmediate(() =>
      this.#picker.guard(() => {
        this.#refresh('hot')
        this.#after(PAUSE_MS, () => {
          this.#refresh('full')
          this.#onUpdated()
        })
      }),
    )
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #after(ms: number, work: () => void): void {
    this.#timer = setTimeout(() => this.#picker.guard(work), ms)
  }

  /** Runs to its end without a break; the screen shows the progress. */
  #refresh(extent: 'hot' | 'full'): void {
    const picker = this.#picker
    let problem = ''
    try {
      this.#picker.catalog.refresh({
        extent,
        onProgress: ({ phase, done, total }) => {
          if (performance.now() - this.#lastPaintAt < REPAINT_MS) return
          this.#lastPaintAt = performance.now()
          picker.dispatch({ type: 'status', status: describe(phase, done, total) })
          picker.paint()
        },
      })
    } catch (error) {
      problem = messageOf(error)
    }
    picker.dispatch({ type: 'status', status: '' })
    if (problem) picker.dispatch({ type: 'notice', notice: problem })
    const rows = this.#picker.catalog.sessions(this.#picker.filter)
    // Prepares the matcher now, so that the first letter is as quick as the others.
    matchRows(rows, '\u{1}')
    picker.dispatch({ type: 'rows', rows, unlisted: this.#unlisted() })
  }

  #unlisted(): PickerState['unlisted'] {
    const { catalog, filter, state } = this.#picker
    const count = (of: SessionFilter): number => {
      const { sessions, sub_agents, hidden } = catalog.totals(of)
      return sessions + sub_agents + hidden - catalog.count(of)
    }
    return { all: count(filter), project: state.project === null ? 0 : count({ ...filter, project: state.project }) }
  }
}
