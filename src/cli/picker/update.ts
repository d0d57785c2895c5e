import type { SessionRow } from '../../catalog/session-row.ts'
import {
  closed,
  type Dialog,
  edited,
  type HandoverTargets,
  onDialogKey,
  openChoice,
  openExport,
  type Removal,
} from './dialog.ts'
import type { Key } from './key.ts'
import { commandOf } from './keys.ts'
import { refilter, rematch, select, setProject, setQuery } from './list.ts'
import { type Listed, toListed } from './match.ts'
import { nextOrder } from './order.ts'
import {
  keyOf,
  layOut,
  type PickerState,
  type Preview,
  type Size,
  selectedRow,
  type TextMatches,
  targets,
} from './state.ts'

/** What can happen to the picker. */
export type Action =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'size'; readonly size: Size }
  | { readonly type: 'rows'; readonly rows: readonly Listed[] }
  | { readonly type: 'project'; readonly project: string; readonly isScope: boolean }
  /** Some sessions have changed. */
  | { readonly type: 'changed'; readonly rows: readonly SessionRow[] }
  | { readonly type: 'unlisted'; readonly unlisted: number }
  | { readonly type: 'texts'; readonly texts: TextMatches }
  | { readonly type: 'preview'; readonly preview: Preview }
  | { readonly type: 'scrolled'; readonly previewTop: number }
  | { readonly type: 'removal'; readonly removal: Removal }
  | { readonly type: 'targets'; readonly targets: HandoverTargets }
  /** What was typed there could not be used. */
  | { readonly type: 'reopen'; readonly dialog: Dialog }
  | { readonly type: 'unmark' }
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'notice'; readonly notice: string }

/** The picker's next state. Pure: nothing is read or drawn here. */
export function update(state: PickerState, action: Action): PickerState {
  switch (action.type) {
    case 'key':
      return onKey({ ...state, notice: '' }, action.key)
    case 'size':
      return select({ ...state, size: action.size }, state.selected)
    case 'rows':
      return refilter({ ...state, rows: action.rows })
    case 'project':
      return setProject(state, action.project, action.isScope)
    case 'changed':
      return replaced(state, action.rows)
    case 'unlisted':
      return { ...state, unlisted: action.unlisted }
    case 'texts':
      // The query has changed in the meantime.
      return action.texts.query === state.query ? rematch({ ...state, texts: action.texts }) : state
    case 'preview':
      return { ...state, preview: action.preview }
    case 'scrolled':
      return { ...state, previewTop: action.previewTop }
    case 'removal':
      return { ...state, dialog: { kind: 'removal', removal: action.removal } }
    case 'targets':
      return { ...state, dialog: { kind: 'target', ...action.targets, text: '', selected: 0 } }
    case 'reopen':
      return state.dialog ? state : { ...state, dialog: action.dialog }
    case 'unmark':
      return { ...state, marked: new Map() }
    case 'status':
      return { ...state, status: action.status }
    case 'notice':
      return { ...state, notice: action.notice }
  }
}

function onKey(state: PickerState, key: Key): PickerState {
  const command = commandOf(key.name)
  if (key.name === 'ctrl-c') return { ...state, outcome: { kind: 'leave' } }
  if (state.dialog) return onDialogKey(state, state.dialog, key)
  if (key.text === '?' && state.query === '') return { ...state, dialog: { kind: 'help', top: 0 } }
  const query = edited(state.query, key)
  if (query !== undefined) return setQuery(state, query)
  const page = layOut(state.size).list.rows
  switch (command) {
    case 'up':
      return select(state, state.selected - 1)
    case 'down':
      return select(state, state.selected + 1)
    case 'page-up':
      return select(state, state.selected - page)
    case 'page-down':
      return select(state, state.selected + page)
    case 'first':
      return select(state, 0)
    case 'last':
      return select(state, state.matches.length - 1)
    case 'preview-up':
      return { ...state, previewTop: Math.max(0, state.previewTop - previewStep(state)) }
    case 'preview-down':
      return { ...state, previewTop: state.previewTop + previewStep(state) }
    case 'mark':
      return select(marked(state), state.selected + 1)
    case 'mark-up':
      return select(marked(state), state.selected - 1)
    case 'scope':
      return toggleScope(state)
    case 'project':
    case 'agent':
      return openChoice(state, command)
    case 'order': {
      const order = nextOrder(state.order)
      return refilter({ ...state, order, notice: `order: ${order}` })
    }
    case 'copy':
    case 'organise':
    case 'continue':
      return { ...state, dialog: { kind: 'menu', menu: command } }
    case 'export':
    case 'share':
      return openExport(state, command)
    case 'remove':
      return { ...state, request: { kind: 'plan-removal', rows: targets(state) } }
    case 'help':
      return { ...state, dialog: { kind: 'help', top: 0 } }
    case 'show':
    case 'resume':
      return closeWith(state, command)
    case 'back':
      return back(state)
    case 'quit':
      return { ...state, outcome: { kind: 'leave' } }
    default:
      return state
  }
}

/** Half of what is visible. */
function previewStep({ size }: PickerState): number {
  return Math.max(1, layOut(size).preview.rows >> 1)
}

function back(state: PickerState): PickerState {
  if (state.query !== '') return setQuery(state, '')
  if (state.marked.size > 0) return { ...state, marked: new Map() }
  if (state.agent !== null) return refilter({ ...state, agent: null })
  return { ...closed(state), outcome: { kind: 'leave' } }
}

function closeWith(state: PickerState, kind: 'show' | 'resume'): PickerState {
  const row = selectedRow(state)
  return row ? { ...state, outcome: { kind, row } } : { ...state, notice: 'no session is selected' }
}

function toggleScope(state: PickerState): PickerState {
  if (state.project === null) return { ...state, notice: 'this project has no sessions; ctrl-f chooses another' }
  return refilter({ ...state, scope: state.scope === 'all' ? 'project' : 'all', texts: undefined })
}

function marked(state: PickerState): PickerState {
  const row = selectedRow(state)
  if (!row) return state
  const marked = new Map(state.marked)
  if (!marked.delete(keyOf(row))) marked.set(keyOf(row), row)
  return { ...state, marked }
}

function replaced(state: PickerState, rows: readonly SessionRow[]): PickerState {
  const changed = new Map(rows.map((row) => [keyOf(row), row]))
  const now = (row: SessionRow): SessionRow => changed.get(keyOf(row)) ?? row
  const texts = state.texts && {
    ...state.texts,
    hits: state.texts.hits.map((hit) => ({ ...hit, session: now(hit.session) })),
  }
  return refilter({
    ...state,
    rows: state.rows.map((listed) => {
      const row = now(listed.row)
      return row === listed.row ? listed : toListed(row)
    }),
    marked: new Map([...state.marked].map(([key, row]) => [key, now(row)])),
    texts,
  })
}
