import type { SteppedCatalog } from '../../catalog/catalog.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { palette } from '../colour.ts'
import type { Context } from '../command.ts'
import type { Dialog, HandoverTargets, Removal } from './dialog.ts'
import type { PickerHandle } from './handle.ts'
import { IndexUpdater, LOADING } from './index-updater.ts'
import type { Key } from './key.ts'
import { startState } from './list.ts'
import { PreviewLoader, versionOf } from './preview-loader.ts'
import { cursorOf, render, type View } from './render.ts'
import { previewLimit } from './render-preview.ts'
import { type Keyboard, openScreen, realKeyboard, type Screen } from './screen.ts'
import { type Outcome, type PickerState, type Request, type Size, selectedRow } from './state.ts'
import { TextSearch } from './text-search.ts'
import { type Action, update } from './update.ts'

/** What came of a request. */
export interface Performed {
  readonly notice?: string
  /** Sessions as they are now. */
  readonly changed?: readonly SessionRow[]
  readonly removal?: Removal
  readonly targets?: HandoverTargets
  /** There are other sessions than before. */
  readonly isIndexOld?: boolean
}

export interface PickerSettings {
  /** What is listed; without a project, which the picker switches itself. */
  readonly filter: SessionFilter
  /** The current project; null in the home folder and the root. */
  readonly project: string | null
  /** Start with all projects. */
  readonly all: boolean
  /** What Enter does; only its name is shown here. */
  readonly enter: 'show' | 'resume'
  /** Does what was asked for while the picker stays open. An error is shown as a notice. */
  readonly perform: (request: Request) => Promise<Performed>
  /** The state of an earlier picker, to continue there. */
  readonly previous?: PickerState
}

export interface Picked {
  readonly outcome: Outcome
  readonly state: PickerState
}

/** Shows the picker until the user quits or chooses. Everything slow is done after the first paint, between keys. */
export function pick(
  catalog: SteppedCatalog,
  context: Context,
  settings: PickerSettings,
  keyboard: Keyboard = realKeyboard(),
): Promise<Picked> {
  return new Picker(catalog, context, settings).run(context, keyboard)
}

/** Owns the state: keys and background work dispatch actions, and each change is painted. */
class Picker implements PickerHandle {
  readonly catalog: SteppedCatalog
  readonly filter: SessionFilter
  readonly io: Io
  readonly projects: ReadonlyMap<string, string>
  readonly #view: View
  readonly #preview = new PreviewLoader(this)
  readonly #textSearch = new TextSearch(this)
  readonly #index: IndexUpdater
  readonly #perform: PickerSettings['perform']
  readonly #isLoaded: boolean
  #state: PickerState
  #screen: Screen | undefined
  #isPaintScheduled = false
  #printNotice: (line: string) => void = () => {}
  /** Notices of the index: shown below the list, and printed when the screen is closed. */
  readonly #notices: string[] = []
  #resolve: (picked: Picked) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(catalog: SteppedCatalog, { io, out, config }: Context, settings: PickerSettings) {
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
      isNarrowed: isNarrowed(settings.filter),
    }
    this.#perform = settings.perform
    this.#index = new IndexUpdater(this, {
      onLoaded: () => {
        const { project, all } = settings
        if (project !== null) this.dispatch({ type: 'project', project, isScope: !all })
      },
      onChanged: () => this.#textSearch.schedule(),
    })
    this.#isLoaded = settings.previous !== undefined
    this.#state = settings.previous
      ? update({ ...settings.previous, outcome: undefined }, { type: 'size', size })
      : firstState(catalog, settings, size)
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
      this.#index.start(this.#isLoaded)
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
    this.#state = this.#scrolled(update(before, action))
    const { outcome, request } = this.#state
    if (outcome) {
      this.#close()
      this.#resolve({ outcome, state: this.#state })
      return
    }
    if (request) {
      this.#state = { ...this.#state, request: undefined }
      void this.#answer(request, before.dialog)
    }
    if (listedBy(this.#state) !== listedBy(before)) this.#index.scheduleCount()
    if (foundBy(this.#state) !== foundBy(before)) this.#textSearch.schedule()
    const [selected, earlier] = [selectedRow(this.#state), selectedRow(before)]
    if (selected !== earlier && (selected && versionOf(selected)) !== (earlier && versionOf(earlier))) {
      this.#preview.load(selected)
    }
    this.#schedulePaint()
  }

  paint(): void {
    this.#screen?.draw(render(this.#state, this.#view), cursorOf(this.#state))
  }

  /** How far the preview can be scrolled is known only where its lines are. */
  #scrolled(state: PickerState): PickerState {
    if (state.previewTop === 0) return state
    const previewTop = Math.min(state.previewTop, previewLimit(state, this.#view))
    return update(state, { type: 'scrolled', previewTop })
  }

  /** `typed`: where the request was typed, to correct it if it cannot be done. */
  async #answer(request: Request, typed: Dialog | undefined): Promise<void> {
    this.dispatch({ type: 'status', status: `${workOf[request.kind]} …` })
    // It may block.
    this.guard(() => this.paint())
    let isRefused = false
    const done = await this.#perform(request).catch((error: unknown): Performed => {
      isRefused = true
      return { notice: noticeOf(error) }
    })
    this.guard(() => {
      this.dispatch({ type: 'status', status: '' })
      if (isRefused && typed?.kind === 'input') this.dispatch({ type: 'reopen', dialog: typed })
      if (done.changed) this.dispatch({ type: 'changed', rows: done.changed })
      if (done.removal) this.dispatch({ type: 'removal', removal: done.removal })
      if (done.targets) this.dispatch({ type: 'targets', targets: done.targets })
      if (done.isIndexOld) {
        this.dispatch({ type: 'unmark' })
        this.#index.update()
      }
      if (done.notice !== undefined) this.dispatch({ type: 'notice', notice: done.notice })
    })
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

const workOf: Readonly<Record<Request['kind'], string>> = {
  copy: 'copying',
  export: 'exporting',
  share: 'exporting',
  organise: 'saving',
  'plan-removal': 'looking what can be removed',
  remove: 'copying to the archive and removing',
  'undo-removal': 'restoring',
  'plan-handover': 'looking for agents',
  fork: 'copying to a new session',
}

function noticeOf(error: unknown): string {
  const hint = error instanceof IonError && error.hint ? `: ${error.hint}` : ''
  return `${messageOf(error)}${hint}`
}

/** Whether options leave sessions out. */
function isNarrowed({ hidden, subAgents, ...narrowing }: SessionFilter): boolean {
  return Object.keys(narrowing).length > 0
}

/** What decides which sessions are listed, without what was typed, and which are found. */
function listedBy({ scope, project, agent }: PickerState): string {
  return JSON.stringify([scope, project, agent])
}

function foundBy(state: PickerState): string {
  return `${listedBy(state)} ${state.query}`
}

/** Enough for the first screen, and quick however many there are: the others are loaded after the first paint. */
const FIRST_ROWS = 50

/** The project is listed if one of the first sessions is in it, or else, once all are loaded, if any is. */
function firstState(catalog: SteppedCatalog, { filter, project, all }: PickerSettings, size: Size): PickerState {
  const rows = catalog.sessions({ ...filter, limit: FIRST_ROWS })
  // Shown by the first paint, before anything is loaded.
  const start = update(startState(size, rows), { type: 'status', status: `${LOADING} …` })
  return project === null ? start : update(start, { type: 'project', project, isScope: !all })
}
