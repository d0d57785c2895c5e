import { parseQueryText } from '../../catalog/search/parse-query.ts'
import type { SearchHit, SearchQuery, SearchSummary } from '../../catalog/search/query.ts'
import { attempt } from '../../platform/error.ts'
import { Pace } from '../../platform/pace.ts'
import { PAUSE_MS, type PickerHandle, REPAINT_MS } from './handle.ts'
import { isForText } from './state.ts'

/** Nobody scrolls further; `ion search` lists all. */
const MAX_HITS = 1000

/** Searches the text of sessions for the query, when typing has paused: in small steps, until the next key. */
export class TextSearch {
  readonly #picker: PickerHandle
  #timer: NodeJS.Timeout | undefined
  #running: AbortController | undefined

  constructor(picker: PickerHandle) {
    this.#picker = picker
  }

  /** Searches for the current query after a pause, in place of an earlier one. */
  schedule(): void {
    this.stop()
    if (!isForText(this.#picker.state)) return
    this.#timer = setTimeout(() => this.#picker.guard(() => this.#start()), PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#running?.abort()
    this.#running = undefined
  }

  #start(): void {
    const query = this.#queryOf(this.#picker.state.query)
    if (!query) return
    const running = new AbortController()
    this.#running = running
    this.#search(query, running.signal).catch((error: unknown) => {
      if (!running.signal.aborted) this.#picker.guard(() => raise(error))
    })
  }

  async #search(query: SearchQuery, signal: AbortSignal): Promise<void> {
    const typed = this.#picker.state.query
    const { since } = this.#picker.filter
    const pace = new Pace(signal)
    const hits: SearchHit[] = []
    const progress = { done: 0, total: 0 }
    let shownAt = 0
    const show = (summary?: SearchSummary): void => {
      shownAt = performance.now()
      const unsearched = summary?.unsearched.length ?? 0
      const texts = { query: typed, hits: [...hits], ...progress, isComplete: summary !== undefined, unsearched }
      this.#picker.dispatch({ type: 'texts', texts })
    }
    const steps = this.#picker.catalog.searchSteps(query, (done, total) => Object.assign(progress, { done, total }))
    try {
      for (;;) {
        const step = steps.next()
        if (step.done) return show(step.value)
        const hit = step.value
        if (hit && (!since || (hit.session.updated_at ?? '') >= since.toISOString())) hits.push(hit)
        if (!pace.isDue) continue
        // The first hits at once.
        if (performance.now() - shownAt > REPAINT_MS) show()
        await pace.turn()
      }
    } finally {
      steps.return({ searched: 0, sub_agents: 0, hidden: 0, unsearched: [], isCut: true })
    }
  }

  /** With the filters of the list. Undefined if a value is not valid, which only the search itself knows. */
  #queryOf(text: string): SearchQuery | undefined {
    const { io, projects, filter, state } = this.#picker
    const parts = attempt(() => parseQueryText(text, { ...io, projects }))
    if (!parts) return undefined
    const listed = state.agent === null ? (filter.agents ?? []) : [state.agent]
    const folder = parts.folder ?? (state.scope === 'project' ? state.project : null)
    return {
      ...parts,
      agents: parts.agents.length > 0 ? parts.agents : listed,
      tags: parts.tags.length > 0 ? parts.tags : (filter.tags ?? []),
      states: filter.pinned ? [...parts.states, 'pinned'] : parts.states,
      ...(folder === null ? {} : { folder }),
      order: 'newest',
      limit: MAX_HITS,
    }
  }
}

function raise(error: unknown): never {
  throw error
}
