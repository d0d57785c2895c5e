import type { SessionRow } from '../../catalog/session-row.ts'
import { isWithin } from '../../platform/project.ts'
import { matching, nothingWanted, parseWanted, toListed } from './match.ts'
import { inOrder } from './order.ts'
import { keyOf, layOut, type Match, type PickerState, type Size, selectedRow } from './state.ts'

/** With all projects. */
export function startState(size: Size, rows: readonly SessionRow[]): PickerState {
  return refilter({
    size,
    rows: rows.map(toListed),
    project: null,
    scope: 'all',
    agent: null,
    order: 'newest',
    query: '',
    wanted: nothingWanted,
    texts: undefined,
    unlisted: 0,
    inScope: [],
    matches: [],
    selected: 0,
    top: 0,
    marked: new Map(),
    preview: undefined,
    previewTop: 0,
    dialog: undefined,
    status: '',
    notice: '',
    outcome: undefined,
    request: undefined,
  })
}

/**
 * The current project, if one of the sessions is in it. Only then it can be listed; `isScope`: it is, unless the user has
 * begun to do something else.
 */
export function setProject(state: PickerState, project: string, isScope: boolean): PickerState {
  if (state.project !== null || !state.rows.some(({ row }) => isWithin(row.project, project))) return state
  const isUntouched = state.query === '' && state.selected === 0 && state.marked.size === 0 && state.agent === null
  return refilter({ ...state, project, scope: isScope && isUntouched ? 'project' : 'all' })
}

export function setQuery(state: PickerState, query: string): PickerState {
  if (query === state.query) return state
  return select(rematch({ ...state, query, wanted: parseWanted(query), texts: undefined }), 0)
}

/** After the rows, the order or a filter changed. The same session stays selected if it is still listed. */
export function refilter(state: PickerState): PickerState {
  const { rows, order } = state
  const wanted = rows.every(({ row }) => isListed(row, state)) ? rows : rows.filter(({ row }) => isListed(row, state))
  return rematch({ ...state, inScope: inOrder(wanted, order) })
}

export function rematch(state: PickerState): PickerState {
  const chosen = selectedRow(state)
  const matches = withTexts(matching(state.inScope, state.wanted), state)
  // Who has not moved stays at the top.
  if (!chosen || state.selected === 0) return select({ ...state, matches }, 0)
  const key = keyOf(chosen)
  const same = matches.findIndex(({ row }) => keyOf(row) === key)
  return select({ ...state, matches }, same >= 0 ? same : state.selected)
}

/** Whether the filters by project and agent leave it. */
export function isListed(row: SessionRow, { scope, project, agent }: PickerState): boolean {
  return (
    (scope === 'all' || project === null || isWithin(row.project, project)) && (agent === null || row.agent === agent)
  )
}

/** Sessions whose name matches come first, then those whose text matches: nothing moves while text is searched. */
function withTexts(byName: readonly Match[], state: PickerState): readonly Match[] {
  if (!state.texts || state.texts.hits.length === 0) return byName
  const hits = new Map(state.texts.hits.map((hit) => [keyOf(hit.session), hit]))
  const named = byName.map(({ row }): Match => {
    const key = keyOf(row)
    const hit = hits.get(key)
    hits.delete(key)
    // A hit without an event is in the title or in a tag, by which it was found anyway.
    return hit?.event ? { row, hit } : { row }
  })
  const wanted = [...hits.values()].filter(({ session }) => isListed(session, state))
  return [...named, ...wanted.map((hit): Match => ({ row: hit.session, hit }))]
}

export function select(state: PickerState, wanted: number): PickerState {
  const page = layOut(state.size).list.rows
  const before = selectedRow(state)
  const selected = Math.max(0, Math.min(wanted, state.matches.length - 1))
  const lowest = Math.max(0, Math.min(state.top, state.matches.length - page))
  const top = Math.min(selected, Math.max(lowest, selected - page + 1))
  const isSame = before !== undefined && before === state.matches[selected]?.row
  return { ...state, selected, top, previewTop: isSame ? state.previewTop : 0 }
}
