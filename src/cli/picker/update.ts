import { go, type SnapshotKeys, snapshot } from 'fuzzysort'
import type { SessionRow } from '../../catalog/session-row.ts'
import { isWithin } from '../../platform/project.ts'
import type { Key } from './key.ts'
import {
  layOut,
  type Match,
  type Outcome,
  type PickerState,
  type Preview,
  type Size,
  selectedRow,
  type TextMatches,
} from './state.ts'

/** What can happen to the picker. */
export type Action =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'size'; readonly size: Size }
  | { readonly type: 'rows'; readonly rows: readonly SessionRow[]; readonly unlisted: PickerState['unlisted'] }
  | { readonly type: 'texts'; readonly texts: TextMatches }
  | { readonly type: 'preview'; readonly preview: Preview }
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'notice'; readonly notice: string }

export function startState(
  size: Size,
  rows: readonly SessionRow[],
  project: string | null,
  scope: PickerState['scope'] = 'project',
): PickerState {
  return refilter({
    size,
    rows,
    project,
    scope: project === null ? 'all' : scope,
    query: '',
    texts: undefined,
    unlisted: { project: 0, all: 0 },
    inScope: [],
    matches: [],
    selected: 0,
    top: 0,
    preview: undefined,
    help: false,
    status: '',
    notice: '',
    outcome: undefined,
  })
}

/** The picker's next state. Pure: nothing is read or drawn here. */
export function update(state: PickerState, action: Action): PickerState {
  switch (action.type) {
    case 'key':
      return onKey({ ...state, notice: '' }, action.key)
    case 'size':
      return select({ ...state, size: action.size }, state.selected)
    case 'rows':
      return refilter({ ...state, rows: action.rows, unlisted: action.unlisted })
    case 'texts':
      // The query has changed in the meantime.
      return action.texts.query === state.query ? rematch({ ...state, texts: action.texts }) : state
    case 'preview':
      return { ...state, preview: action.preview }
    case 'status':
      return { ...state, status: action.status }
    case 'notice':
      return { ...state, notice: action.notice }
  }
}

function onKey(state: PickerState, key: Key): PickerState {
  if (key.name === 'ctrl-c') return { ...state, outcome: { kind: 'leave' } }
  if (state.help) return { ...state, help: false }
  const page = layOut(state.size).list.rows
  switch (key.name) {
    case 'text':
      return key.text === '?' && state.query === '' ? { ...state, help: true } : setQuery(state, state.query + key.text)
    case 'paste':
      return setQuery(state, state.query + (key.text ?? '').replace(/\s+/g, ' '))
    case 'backspace':
      return setQuery(state, [...state.query].slice(0, -1).join(''))
    case 'ctrl-w':
      return setQuery(state, state.query.replace(/\S*\s*$/, ''))
    case 'ctrl-u':
      return setQuery(state, '')
    case 'up':
    case 'ctrl-p':
      return select(state, state.selected - 1)
    case 'down':
    case 'ctrl-n':
      return select(state, state.selected + 1)
    case 'page-up':
      return select(state, state.selected - page)
    case 'page-down':
      return select(state, state.selected + page)
    case 'home':
      return select(state, 0)
    case 'end':
      return select(state, state.matches.length - 1)
    case 'tab':
    case 'shift-tab':
      return toggleScope(state)
    case 'f1':
      return { ...state, help: true }
    case 'escape':
    case 'ctrl-d':
      return { ...state, outcome: { kind: 'leave' } }
    case 'enter':
      return closeWith(state, 'show')
    case 'ctrl-r':
      return closeWith(state, 'resume')
    case 'ctrl-e':
      return closeWith(state, 'export')
    case 'ctrl-y':
      return closeWith(state, 'copy')
    default:
      return state
  }
}

function closeWith(state: PickerState, kind: Exclude<Outcome['kind'], 'leave'>): PickerState {
  const row = selectedRow(state)
  return row ? { ...state, outcome: { kind, row } } : { ...state, notice: 'no session is selected' }
}

function toggleScope(state: PickerState): PickerState {
  if (state.project === null) return { ...state, notice: 'this project has no sessions' }
  return refilter({ ...state, scope: state.scope === 'all' ? 'project' : 'all' })
}

function setQuery(state: PickerState, query: string): PickerState {
  if (query === state.query) return state
  return select(rematch({ ...state, query, texts: undefined }), 0)
}

/** After the rows or the scope changed. The same session stays selected if it is still listed. */
function refilter(state: PickerState): PickerState {
  const { rows, scope, project } = state
  const inScope = scope === 'all' || project === null ? rows : rows.filter((row) => isWithin(row.project, project))
  return rematch({ ...state, inScope })
}

function rematch(state: PickerState): PickerState {
  const byName = matchRows(state.inScope, state.query).map((row): Match => ({ row }))
  const chosen = selectedRow(state)?.id
  const matches = withTexts(byName, state)
  const same = chosen === undefined || state.selected === 0 ? 0 : matches.findIndex(({ row }) => row.id === chosen)
  return select({ ...state, matches }, same >= 0 ? same : state.selected)
}

/** Sessions whose name matches come first, then those whose text matches. */
function withTexts(byName: readonly Match[], { texts, scope, project }: PickerState): readonly Match[] {
  if (!texts) return byName
  const hits = new Map(texts.hits.map((hit) => [hit.session.id, hit]))
  const named = byName.map(({ row }): Match => {
    const hit = hits.get(row.id)
    hits.delete(row.id)
    return hit ? { row, hit } : { row }
  })
  const wanted = [...hits.values()].filter(
    ({ session }) => scope === 'all' || project === null || isWithin(session.project, project),
  )
  return [...named, ...wanted.map((hit): Match => ({ row: hit.session, hit }))]
}

function select(state: PickerState, wanted: number): PickerState {
  const page = layOut(state.size).list.rows
  const selected = Math.max(0, Math.min(wanted, state.matches.length - 1))
  const lowest = Math.max(0, Math.min(state.top, state.matches.length - page))
  const top = Math.min(selected, Math.max(lowest, selected - page + 1))
  return { ...state, selected, top }
}

/** What a session is found by. Of the folder only the last parts, which people remember. */
const keys = [
  (row: SessionRow) => row.title ?? '',
  (row: SessionRow) => row.cwd?.split('/').slice(-3).join('/') ?? '',
  (row: SessionRow) => row.agent,
  (row: SessionRow) => row.id,
]

const snapshots = new WeakMap<readonly SessionRow[], SnapshotKeys<SessionRow>>()

/** Rows whose title, folder, agent or id resembles the query: best matches first, equally good ones by date. */
export function matchRows(rows: readonly SessionRow[], query: string): readonly SessionRow[] {
  const wanted = query.trim()
  if (wanted === '') return rows
  let prepared = snapshots.get(rows)
  if (!prepared) snapshots.set(rows, (prepared = snapshot(rows, { keys })))
  const order = new Map<SessionRow, number>()
  const found = go(wanted, prepared, { limit: 0 })
  for (const [index, row] of rows.entries()) order.set(row, index)
  return found
    .map(({ obj, score }) => ({ row: obj, grade: Math.round(score * 5), position: order.get(obj)! }))
    .sort((a, b) => b.grade - a.grade || a.position - b.position)
    .map(({ row }) => row)
}
