import type { RefreshOptions } from '../../catalog/catalog.ts'
import { messageOf } from '../../platform/error.ts'
import { formatCount } from '../../platform/format-count.ts'
import { Pace } from '../../platform/pace.ts'
import { describe } from '../progress.ts'
import { PAUSE_MS, type PickerHandle, REPAINT_MS } from './handle.ts'
import { type Listed, toListed } from './match.ts'

/** So soon the first sessions of a new index are shown. */
const FIRST_MS = 300

/** What is done first. */
export const LOADING = 'loading sessions'

interface Listeners {
  /** All sessions are listed. */
  readonly onLoaded: () => void
  /** There are other sessions than before. */
  readonly onChanged: () => void
}

/** Loads the list behind the picker and updates the index, in small steps. */
export class IndexUpdater {
  readonly #picker: PickerHandle
  readonly #listeners: Listeners
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()
  #phase = ''
  #shownAt = 0

  constructor(picker: PickerHandle, listeners: Listeners) {
    this.#picker = picker
    this.#listeners = listeners
  }

  /** `isLoaded`: the list is complete as of some time ago. Then the recent sessions are compared first, then all. */
  start(isLoaded: boolean): void {
    this.#then(async () => {
      if (!isLoaded) await this.#load()
      await this.#update({ extent: 'hot' })
      await this.#update({ extent: 'full' })
    })
  }

  /** After the picker itself has changed what there is. */
  update(): void {
    this.#then(() => this.#update({ extent: 'full' }))
  }

  /** Counts what the list leaves out, after a pause. */
  scheduleCount(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#picker.guard(() => this.#count()), PAUSE_MS)
  }

  stop(): void {
    this.#stopped.abort()
    clearTimeout(this.#timer)
  }

  /** One after the other. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(() => (this.#stopped.signal.aborted ? undefined : work()))
      .catch((error: unknown) => {
        if (this.#stopped.signal.aborted) return
        this.#picker.guard(() => {
          throw error
        })
      })
  }

  async #update(options: RefreshOptions): Promise<void> {
    const picker = this.#picker
    let hasChanged = false
    try {
      hasChanged = await this.#refresh(options)
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error
      picker.dispatch({ type: 'notice', notice: messageOf(error) })
    }
    picker.dispatch({ type: 'status', status: '' })
    if (!hasChanged) return
    await this.#load()
    this.#listeners.onChanged()
  }

  /** Whether anything has changed. */
  async #refresh(options: RefreshOptions): Promise<boolean> {
    const picker = this.#picker
    const pace = new Pace(this.#stopped.signal)
    const steps = picker.catalog.refreshSteps({
      ...options,
      onProgress: ({ phase, done, total }) => {
        // Also within a step, which may be long.
        if (this.#show(phase, describe(phase, done, total))) picker.paint()
      },
    })
    let firstAt = performance.now()
    try {
      for (;;) {
        const step = steps.next()
        if (step.done) return step.value.changed + step.value.removed > 0
        if (!pace.isDue) continue
        if (performance.now() - firstAt > FIRST_MS && this.#isScreenEmpty()) {
          firstAt = performance.now()
          this.#showFirst()
        }
        await pace.turn()
      }
    } finally {
      steps.return({ changed: 0, removed: 0, freshness: { checked: 0, known: 0, fullCheckAt: null } })
    }
  }

  #isScreenEmpty(): boolean {
    const { rows, size } = this.#picker.state
    return rows.length < size.rows
  }

  /** While a new index is built. */
  #showFirst(): void {
    const { catalog, filter, state } = this.#picker
    const rows = catalog.sessions({ ...filter, limit: state.size.rows })
    if (rows.length > 0) this.#picker.dispatch({ type: 'rows', rows: rows.map(toListed) })
  }

  /** A list that grows is shown as it does; one that is replaced, at the end. */
  async #load(): Promise<void> {
    const picker = this.#picker
    const pace = new Pace(this.#stopped.signal)
    const rows: Listed[] = []
    for (const row of picker.catalog.eachSession(picker.filter)) {
      rows.push(toListed(row))
      if (!pace.isDue) continue
      const isShown = this.#show(LOADING, `${LOADING} … ${formatCount(rows.length)}`)
      if (isShown && rows.length > picker.state.rows.length * 2) {
        picker.dispatch({ type: 'rows', rows: [...rows] })
      }
      await pace.turn()
    }
    picker.dispatch({ type: 'rows', rows })
    this.#listeners.onLoaded()
    picker.dispatch({ type: 'status', status: '' })
    this.scheduleCount()
  }

  /** Returns whether it was time to show it: a new phase at once, its progress from time to time. */
  #show(phase: string, status: string): boolean {
    if (phase === this.#phase && performance.now() - this.#shownAt < REPAINT_MS) return false
    this.#phase = phase
    this.#shownAt = performance.now()
    this.#picker.dispatch({ type: 'status', status })
    return true
  }

  #count(): void {
    const { catalog, filter, state } = this.#picker
    const { agent, scope, project, inScope } = state
    const { sessions, sub_agents, hidden } = catalog.totals({
      ...filter,
      ...(agent === null ? {} : { agents: [agent] }),
      ...(scope === 'project' && project !== null ? { project } : {}),
    })
    const unlisted = Math.max(0, sessions + sub_agents + hidden - inScope.length)
    this.#picker.dispatch({ type: 'unlisted', unlisted })
  }
}
