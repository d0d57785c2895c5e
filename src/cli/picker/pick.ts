import type { Catalog } from '../../catalog/catalog.ts'
import { parseQueryText } from '../../catalog/parse-query.ts'
import { readSession } from '../../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import { messageOf } from '../../platform/error.ts'
import { palette } from '../colour.ts'
import type { Context } from '../command.ts'
import { describe } from '../progress.ts'
import { readPreview } from './read-preview.ts'
import { cursorOf, render, type View } from './render.ts'
import { type Keyboard, openScreen, realKeyboard } from './screen.ts'
import { type Outcome, type PickerState, type Preview, selectedRow } from './state.ts'
import { type Action, matchRows, startState, update } from './update.ts'

export interface PickerSettings {
  /** What is listed; without a project, which the picker switches itself. */
  readonly filter: SessionFilter
  readonly project: string | null
  /** Begin with all projects. */
  readonly all: boolean
  /** What Enter does: only its name is shown here. */
  readonly enter: 'show' | 'resume'
  /** Where an earlier picker was left, to go on there. */
  readonly previous?: PickerState
}

export interface Picked {
  readonly outcome: Outcome
  readonly state: PickerState
}

/** Enough for the first screen; the rest is loaded behind it. */
const FIRST = 300
/** With fewer found by name, what was said is searched as well. */
const THIN = 12
const PAUSE_MS = 80
const REPAINT_MS = 100
/** Texts are indexed while nobody types, in steps that nobody notices. */
const IDLE_MS = 300
const STEP = 4
const STEP_BYTES = 4e6

/** Shows the picker until the user leaves it. Everything slow is done after the first paint, between keys. */
export function pick(
  catalog: Catalog,
  context: Context,
  settings: PickerSettings,
  keyboard: Keyboard = realKeyboard(),
): Promise<Picked> {
  const { io, out } = context
  const view: View = { colours: palette(out), io, enter: settings.enter }
  const previews = new Map<string, Preview>()
  const size = { columns: out.columns, rows: out.rows }
  let state = settings.previous
    ? update({ ...settings.previous, outcome: undefined }, { type: 'size', size })
    : startState(size, firstRows(catalog, settings), settings.project, settings.all ? 'all' : 'project')
  let drawing = false
  let textTimer: NodeJS.Timeout | undefined
  let previewTimer: NodeJS.Timeout | undefined
  let indexTimer: NodeJS.Timeout | undefined
  let pressedAt = 0
  let done = false

  return new Promise((resolve, reject) => {
    const screen = openScreen(
      out,
      keyboard,
      (keys) =>
        guarded(() => {
          pressedAt = performance.now()
          for (const key of keys) dispatch({ type: 'key', key })
        }),
      (to) => guarded(() => dispatch({ type: 'size', size: to })),
    )

    function finish(): void {
      done = true
      clearTimeout(textTimer)
      clearTimeout(previewTimer)
      clearTimeout(indexTimer)
      screen.close()
    }

    /** An error in here must not leave the terminal as it is. */
    function guarded(work: () => void): void {
      if (done) return
      try {
        work()
      } catch (error) {
        finish()
        reject(error)
      }
    }

    function paint(): void {
      screen.draw(render(state, view), cursorOf(state))
    }

    function dispatch(action: Action): void {
      if (done) return
      const before = state
      state = update(state, action)
      if (state.outcome) {
        finish()
        resolve({ outcome: state.outcome, state })
        return
      }
      if (state.query !== before.query) searchLater()
      if (selectedRow(state)?.id !== selectedRow(before)?.id) previewLater()
      if (drawing) return
      drawing = true
      setImmediate(() => {
        drawing = false
        guarded(paint)
      })
    }

    function searchLater(): void {
      clearTimeout(textTimer)
      const { query } = state
      if (query.trim().length < 2 || state.matches.length > THIN) return
      textTimer = setTimeout(() => guarded(() => searchTexts(query)), PAUSE_MS)
    }

    function searchTexts(query: string): void {
      let result: ReturnType<Catalog['search']>
      try {
        const parts = parseQueryText(query, io)
        if (parts.terms.length === 0) return
        const agents = parts.agents.length ? parts.agents : (settings.filter.agents ?? [])
        result = catalog.search({ ...parts, agents, order: 'newest', deep: false, limit: 100 })
      } catch {
        // A query that is not finished yet (`since:`) is no reason to complain while it is typed.
        return
      }
      dispatch({ type: 'texts', texts: { query, hits: result.hits, unindexed: result.unindexed } })
      if (result.unindexed > 0 && result.hits.length === 0 && state.matches.length === 0)
        dispatch({ type: 'notice', notice: `the text of ${result.unindexed} sessions is not indexed yet: ion search` })
    }

    function previewLater(): void {
      clearTimeout(previewTimer)
      const row = selectedRow(state)
      if (!row) return
      const known = previews.get(`${row.id} ${row.updated_at}`)
      if (known) {
        dispatch({ type: 'preview', preview: known })
        return
      }
      previewTimer = setTimeout(() => {
        void readPreview(
          row.id,
          () => readSession(catalog.locate(row), io),
          () => !done && selectedRow(state)?.id === row.id,
          (preview) => {
            if (preview.lastAnswer !== undefined) previews.set(`${row.id} ${row.updated_at}`, preview)
            guarded(() => dispatch({ type: 'preview', preview }))
          },
        )
      }, PAUSE_MS)
    }

    let paintedAt = 0
    /** The store is compared in one go; the screen shows how far it is. */
    function refresh(extent: 'hot' | 'full'): void {
      let problem = ''
      try {
        catalog.refresh({
          extent,
          onProgress({ phase, done: count, total }) {
            if (performance.now() - paintedAt < REPAINT_MS) return
            paintedAt = performance.now()
            state = update(state, { type: 'status', status: describe(phase, count, total) })
            paint()
          },
        })
      } catch (error) {
        problem = messageOf(error)
      }
      dispatch({ type: 'status', status: '' })
      if (problem) dispatch({ type: 'notice', notice: problem })
      const rows = catalog.sessions(settings.filter)
      // Prepared now, so that the first letter is as quick as the others.
      matchRows(rows, '\u{1}')
      dispatch({ type: 'rows', rows })
    }

    /** Ends when nothing is left, or when another process is at it. */
    function indexLater(left: number): void {
      const idle = performance.now() - pressedAt > IDLE_MS
      indexTimer = setTimeout(
        () =>
          guarded(() => {
            const now = idle ? catalog.indexSome(STEP, STEP_BYTES) : left
            if (now > 0 && (now < left || !idle)) indexLater(now)
            else if (state.query !== '') searchLater()
          }),
        idle ? 5 : IDLE_MS,
      )
    }

    guarded(paint)
    previewLater()
    setImmediate(() => {
      guarded(() => refresh('hot'))
      indexTimer = setTimeout(() => {
        guarded(() => refresh('full'))
        indexLater(Number.POSITIVE_INFINITY)
      }, PAUSE_MS)
    })
  })
}

function firstRows(catalog: Catalog, { filter, project, all }: PickerSettings): SessionRow[] {
  return catalog.sessions({ ...filter, limit: FIRST, ...(project === null || all ? {} : { project }) })
}
