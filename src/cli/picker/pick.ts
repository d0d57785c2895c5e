import type { Catalog } from '../../catalog/catalog.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import type { Io } from '../../platform/io.ts'
import { palette } from '../colour.ts'
import type { Context } from '../command.ts'
import { IndexUpdater, type PickerHandle, PreviewLoader, TextSearch } from './background.ts'
import type { Key } from './key.ts'
import { cursorOf, render, type View } from './render.ts'
import { type Keyboard, openScreen, realKeyboard, type Screen } from './screen.ts'
import { type Outcome, type PickerState, selectedRow } from './state.ts'
import { type Action, startState, update } from './update.ts'

export interface PickerSettings {
  /** What is listed; without a project, which the picker switches itself. */
  readonly filter: SessionFilter
  readonly project: string | null
  /** Start with all projects. */
  readonly all: boolean
  /** What Enter does; only its name is shown here. */
  readonly enter: 'show' | 'resume'
  /** The state of an earlier picker, to continue there. */
  readonly previous?: PickerState
}

export interface Picked {
  readonly outcome: Outcome
  readonly state: PickerState
}

/** Enough for the first screen; the rest is loaded in the background. */
const FIRST_ROWS = 300

/** Shows the picker until the user quits or chooses. Everything slow is done after the first paint, between keys. */
export function pick(
  catalog: Catalog,
  context: Context,
  settings: PickerSettings,
  keyboard: Keyboard = realKeyboard(),
): Promise<Picked> {
  return new Picker(catalog, context, settings).run(context, keyboard)
}

/** Owns the state: keys and background work dispatch actions, and each change is painted. */
class Picker implements PickerHandle {
  readonly catalog: Catalog
  readonly filter: SessionFilter
  readonly io: Io
  readonly projects: ReadonlyMap<string, string>
  readonly #view: View
  readonly #preview = new PreviewLoader(this)
  readonly #textSearch = new TextSearch(this)
  readonly #index = new IndexUpdater(this, () => this.#textSearch.schedule())
  #state: PickerState
  #screen: Screen | undefined
  #isPaintScheduled = false
  #printNotice: (line: string) => void = () => {}
  /** Notices of the index: shown below the list, and printed when the screen is closed. */
  readonly #notices: string[] = []
  #resolve: (picked: Picked) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(catalog: Catalog, { io, out, config }: Context, settings: PickerSettings) {
    this.catalog = catalog
    this.filter = settings.filter
    this.io = io
    this.projects = config.projects
    const size = { columns: out.columns, rows: out.rows }
    this.#view = {
      colours: palette(out),
      io,
      shortId: (row) => catalog.shortIds([row])(row),
      enter: settings.enter,
    }
    this.#state = settings.previous
      ? update({ ...settings.previous, outcome: undefined }, { type: 'size', size })
      : startState(size, firstRows(catalog, settings), settings.project, settings.all ? 'all' : 'project')
  }

  get state(): PickerState {
    return this.#state
  }

  get isOpen(): boolean {
    return this.#screen !== undefined
  }

  run({ out }: Context, keyboard: Keyboard): Promise<Picked> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#screen = openScreen(
        out,
        keyboard,
        (keys) => this.guard(() => this.#press(keys)),
        (size) => this.guard(() => this.dispatch({ type: 'size', size })),
      )
      this.#printNotice = this.catalog.redirectNotices((notice) => {
        this.#notices.push(notice)
        this.dispatch({ type: 'notice', notice })
      })
      this.guard(() => this.paint())
      this.#preview.load(selectedRow(this.#state))
      this.#index.start()
    })
  }

  guard(work: () => void): void {
    if (!this.isOpen) return
    try {
      work()
    } catch (error) {
      this.#close()
      this.#reject(error)
    }
  }

  dispatch(action: Action): void {
    if (!this.isOpen) return
    const before = this.#state
    this.#state = update(before, action)
    const { outcome, query } = this.#state
    if (outcome) {
      this.#close()
      this.#resolve({ outcome, state: this.#state })
      return
    }
    if (query !== before.query) this.#textSearch.schedule()
    const selected = selectedRow(this.#state)
    if (selected?.id !== selectedRow(before)?.id) this.#preview.load(selected)
    this.#schedulePaint()
  }

  paint(): void {
    this.#screen?.draw(render(this.#state, this.#view), cursorOf(this.#state))
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) this.dispatch({ type: 'key', key })
  }

  /** Several changes in a row are painted once. */
  #schedulePaint(): void {
    if (this.#isPaintScheduled) return
    this.#isPaintScheduled = true
    setImmediate(() => {
      this.#isPaintScheduled = false
      this.guard(() => this.paint())
    })
  }

  #close(): void {
    this.#preview.stop()
    this.#textSearch.stop()
    this.#index.stop()
    this.#screen?.close()
    this.#screen = undefined
    this.catalog.redirectNotices(this.#printNotice)
    for (const notice of this.#notices) this.#printNotice(notice)
  }
}

function firstRows(catalog: Catalog, { filter, project, all }: PickerSettings): SessionRow[] {
  return catalog.sessions({ ...filter, limit: FIRST_ROWS, ...(project === null || all ? {} : { project }) })
}
