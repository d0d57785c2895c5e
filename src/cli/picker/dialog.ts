import type { SessionRow } from '../../catalog/session-row.ts'
import { exportFileName } from '../../export/file-name.ts'
import { searchForm } from '../../platform/fold.ts'
import { helpPage, helpRows } from './help.ts'
import type { Key } from './key.ts'
import { commandOf, type MenuName, menus } from './keys.ts'
import { isListed, refilter } from './list.ts'
import { layOut, type PickerState, type Request, targets } from './state.ts'

/** What is typed into the line that replaces the filter. */
export type Field = 'tag' | 'name' | 'note' | 'export' | 'share'

export interface Choice {
  /** Null: no filter. */
  readonly value: string | null
  readonly count: number
}

/** Agents that can continue a session. */
export interface HandoverTargets {
  readonly row: SessionRow
  readonly agents: readonly string[]
}

/** What a removal would do. */
export interface Removal {
  readonly removed: readonly { readonly row: SessionRow; readonly bytes: number; readonly subAgents: number }[]
  readonly kept: readonly { readonly row: SessionRow; readonly reason: string }[]
  /** An earlier removal of this picker can be undone. */
  readonly canUndo: boolean
}

/** What is open in front of the list. */
export type Dialog =
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'menu'; readonly menu: Exclude<MenuName, 'remove'> }
  | { readonly kind: 'input'; readonly field: Field; readonly text: string }
  | {
      readonly kind: 'choice'
      readonly of: 'agent' | 'project'
      readonly choices: readonly Choice[]
      readonly text: string
      readonly selected: number
    }
  | {
      readonly kind: 'target'
      readonly row: SessionRow
      readonly agents: readonly string[]
      readonly text: string
      readonly selected: number
    }
  | { readonly kind: 'removal'; readonly removal: Removal }

/** A key while a dialog is open. Escape closes it. */
export function onDialogKey(state: PickerState, dialog: Dialog, key: Key): PickerState {
  if (commandOf(key.name) === 'back') return closed(state)
  switch (dialog.kind) {
    case 'help':
      return onHelpKey(state, dialog, key)
    case 'menu':
      return onMenuKey(closed(state), dialog.menu, key)
    case 'input':
      return key.name === 'enter' ? onInput(closed(state), dialog.field, dialog.text) : typed(state, dialog, key)
    case 'choice':
      return onChoiceKey(state, dialog, key)
    case 'target':
      return onTargetKey(state, dialog, key)
    case 'removal':
      return onRemovalKey(closed(state), dialog.removal, key)
  }
}

export function closed(state: PickerState): PickerState {
  return { ...state, dialog: undefined }
}

/** Scrolls; any other key closes it. */
function onHelpKey(state: PickerState, { top }: Dialog & { kind: 'help' }, key: Key): PickerState {
  const page = helpPage(state.size)
  const move = moveOf(key, page)
  if (move === undefined) return closed(state)
  const last = Math.max(0, helpRows(state, 'show').length - page)
  return { ...state, dialog: { kind: 'help', top: Math.max(0, Math.min(top + move, last)) } }
}

/** How far a key moves in a list with pages of that size; undefined if it does not. */
function moveOf(key: Key, page: number): number | undefined {
  const moves: Readonly<Record<string, number>> = { up: -1, down: 1, 'page-up': -page, 'page-down': page }
  return moves[commandOf(key.name) ?? '']
}

function onMenuKey(state: PickerState, menu: Exclude<MenuName, 'remove'>, key: Key): PickerState {
  const item = menus[menu].find((one) => one.key === key.text)
  if (!item) return state
  const rows = targets(state)
  if (rows.length === 0) return { ...state, notice: 'no session is selected' }
  if (menu === 'copy') return onCopy(state, item.key, rows)
  if (item.key === 'p') {
    const pinned = !rows.every((row) => row.pinned)
    return request(state, { kind: 'organise', rows, change: { pinned } })
  }
  if (item.key === 't') return opened(state, 'tag', '')
  if (rows.length > 1) return { ...state, notice: `${item.label}: only one session at a time; esc removes the marks` }
  const [row] = rows
  if (menu === 'continue') return request(state, { kind: item.key === 'f' ? 'fork' : 'plan-handover', row: row! })
  return item.key === 'r' ? opened(state, 'name', row!.title ?? '') : opened(state, 'note', row!.note ?? '')
}

function onCopy(state: PickerState, key: string, rows: readonly SessionRow[]): PickerState {
  if (key === 'a' && rows.length > 1) {
    return { ...state, notice: 'last answer: only of one session at a time; esc removes the marks' }
  }
  return request(state, { kind: 'copy', what: key === 'i' ? 'id' : key === 'r' ? 'resume' : 'answer', rows })
}

export function openExport(state: PickerState, field: 'export' | 'share'): PickerState {
  const rows = targets(state)
  if (rows.length === 0) return { ...state, notice: 'no session is selected' }
  return opened(state, field, rows.length > 1 ? 'sessions/' : exportFileName(rows[0]!, 'md'))
}

function opened(state: PickerState, field: Field, text: string): PickerState {
  return { ...state, dialog: { kind: 'input', field, text } }
}

function request(state: PickerState, wanted: Request): PickerState {
  return { ...state, request: wanted }
}

function onInput(state: PickerState, field: Field, text: string): PickerState {
  const rows = targets(state)
  const value = text.trim()
  switch (field) {
    case 'export':
    case 'share':
      return value === '' ? state : request(state, { kind: field, rows, path: value })
    case 'name':
    case 'note':
      return request(state, { kind: 'organise', rows, change: { [field]: value === '' ? null : value } })
    case 'tag': {
      const words = value.split(/[\s,]+/).filter(Boolean)
      const isRemoved = (word: string): boolean => word.startsWith('-')
      if (words.length === 0) return state
      return request(state, {
        kind: 'organise',
        rows,
        change: {
          addTags: words.filter((word) => !isRemoved(word)),
          removeTags: words.filter(isRemoved).map((word) => word.slice(1)),
        },
      })
    }
  }
}

/** The text after a key that edits it; undefined if the key does not. */
export function edited(text: string, key: Key): string | undefined {
  if (key.name === 'text') return text + key.text
  if (key.name === 'paste') return text + (key.text ?? '').replace(/\s+/g, ' ')
  switch (commandOf(key.name)) {
    case 'delete-letter':
      return [...text].slice(0, -1).join('')
    case 'delete-word':
      return text.replace(/\S*\s*$/, '')
    case 'clear':
      return ''
    default:
      return undefined
  }
}

function typed(state: PickerState, dialog: Dialog & { kind: 'input' | 'choice' | 'target' }, key: Key): PickerState {
  const text = edited(dialog.text, key)
  return text === undefined ? state : { ...state, dialog: { ...dialog, text } }
}

/** Agents or projects of the sessions that the other filter leaves, the most recently used first. */
export function openChoice(state: PickerState, of: 'agent' | 'project'): PickerState {
  const others: PickerState = of === 'agent' ? { ...state, agent: null } : { ...state, scope: 'all' }
  const rows = state.rows.filter(({ row }) => isListed(row, others))
  const counts = new Map<string, number>()
  for (const { row } of rows) {
    const value = row[of]
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const choices = [
    { value: null, count: rows.length },
    ...[...counts].map(([value, count]): Choice => ({ value, count })),
  ]
  const now = of === 'agent' ? state.agent : state.scope === 'all' ? null : state.project
  const selected = Math.max(
    0,
    choices.findIndex(({ value }) => value === now),
  )
  return { ...state, dialog: { kind: 'choice', of, choices, text: '', selected } }
}

/** Those that match what was typed. */
export function shownChoices({ choices, text }: Dialog & { kind: 'choice' }): readonly Choice[] {
  const matches = matcherOf(text)
  return matches ? choices.filter(({ value }) => value !== null && matches(value)) : choices
}

export function shownTargets({ agents, text }: Dialog & { kind: 'target' }): readonly string[] {
  const matches = matcherOf(text)
  return matches ? agents.filter(matches) : agents
}

/** Undefined if nothing was typed. */
function matcherOf(text: string): ((value: string) => boolean) | undefined {
  const words = searchForm(text).split(' ').filter(Boolean)
  return words.length === 0 ? undefined : (value) => words.every((word) => searchForm(value).includes(word))
}

function onChoiceKey(state: PickerState, dialog: Dialog & { kind: 'choice' }, key: Key): PickerState {
  const shown = shownChoices(dialog)
  if (key.name === 'enter') {
    const choice = shown[dialog.selected]
    return choice ? chosen(closed(state), dialog.of, choice.value) : closed(state)
  }
  return moved(state, dialog, shown.length, key) ?? typed(state, { ...dialog, selected: 0 }, key)
}

function onTargetKey(state: PickerState, dialog: Dialog & { kind: 'target' }, key: Key): PickerState {
  const shown = shownTargets(dialog)
  if (key.name === 'enter') {
    const agent = shown[dialog.selected]
    return { ...closed(state), ...(agent ? { outcome: { kind: 'handover', row: dialog.row, agent } } : {}) }
  }
  return moved(state, dialog, shown.length, key) ?? typed(state, { ...dialog, selected: 0 }, key)
}

/** Undefined if the key does not move. */
function moved(
  state: PickerState,
  dialog: Dialog & { kind: 'choice' | 'target' },
  count: number,
  key: Key,
): PickerState | undefined {
  const move = moveOf(key, layOut(state.size).list.rows)
  if (move === undefined) return undefined
  const selected = Math.max(0, Math.min(dialog.selected + move, count - 1))
  return { ...state, dialog: { ...dialog, selected } }
}

function chosen(state: PickerState, of: 'agent' | 'project', value: string | null): PickerState {
  if (of === 'agent') return refilter({ ...state, agent: value, texts: undefined })
  return refilter({
    ...state,
    scope: value === null ? 'all' : 'project',
    project: value ?? state.project,
    texts: undefined,
  })
}

/** Only a typed letter counts, not one that was pasted. */
function onRemovalKey(state: PickerState, { removed, canUndo }: Removal, { name, text }: Key): PickerState {
  const letter = name === 'text' ? text : ''
  if (letter === 'y' && removed.length > 0) {
    return request(state, { kind: 'remove', rows: removed.map(({ row }) => row) })
  }
  if (letter === 'u' && canUndo) return request(state, { kind: 'undo-removal' })
  return { ...state, notice: 'nothing was removed' }
}
