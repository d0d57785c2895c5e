import { bytes, formatCount, pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import type { Palette } from '../colour.ts'
import { ago, fit, oneLine, pad, wrap } from '../text.ts'
import { type Dialog, type Field, shownChoices, shownTargets } from './dialog.ts'
import { helpPage, helpRows } from './help.ts'
import { menus } from './keys.ts'
import type { View } from './render.ts'
import type { PickerState, Size } from './state.ts'

/** What replaces the list and the preview; undefined if the dialog leaves them. */
export function dialogLines(state: PickerState, dialog: Dialog, size: Size, view: View): string[] | undefined {
  switch (dialog.kind) {
    case 'help':
      return helpLines(state, dialog.top, size, view)
    case 'choice':
      return choiceLines(dialog, size, view)
    case 'target':
      return targetLines(dialog, size, view)
    case 'removal':
      return removalLines(dialog.removal, size, view)
    default:
      return undefined
  }
}

function helpLines(state: PickerState, top: number, { columns }: Size, { colours, enter }: View): string[] {
  const all = helpRows(state, enter)
  const page = helpPage(state.size)
  const lines = all
    .slice(top, top + page)
    .map(({ key, what }) => `  ${colours.accent(key)} ${fit(what, columns - key.length - 3)}`)
  const close = all.length > page ? 'up, down: scroll; any other key closes' : 'press any key to return'
  return [...lines, colours.faint(fit(`  ${close}`, columns))]
}

function choiceLines(dialog: Dialog & { kind: 'choice' }, { columns, rows }: Size, { colours, io }: View): string[] {
  const countColumns = 7
  const labels = shownChoices(dialog).map(({ value, count }) => {
    const label = value === null ? `all ${dialog.of}s` : oneLine(tilde(value, io))
    return `${pad(formatCount(count), countColumns, 'right')}  ${label}`
  })
  return selectable(labels, dialog.selected, { columns, rows }, colours)
}

function targetLines(dialog: Dialog & { kind: 'target' }, size: Size, { colours }: View): string[] {
  const labels = shownTargets(dialog).map((agent) => (agent === dialog.row.agent ? `${agent} (a clean copy)` : agent))
  return selectable(labels, dialog.selected, size, colours)
}

/** As many as fit, around the selected one. */
function selectable(labels: readonly string[], selected: number, { columns, rows }: Size, colours: Palette): string[] {
  const top = Math.max(0, Math.min(selected - (rows >> 1), labels.length - rows))
  return labels.slice(top, top + rows).map((label, index) => {
    const isSelected = top + index === selected
    const line = `${isSelected ? '> ' : '  '}${label}`
    return isSelected ? colours.mark(pad(line, columns)) : fit(line, columns)
  })
}

type Removal = (Dialog & { kind: 'removal' })['removal']

function removalLines({ removed, kept }: Removal, { columns, rows }: Size, { colours, io, shortId }: View): string[] {
  const indented = (text: string, paint: (line: string) => string = (line) => line): string[] =>
    wrap(`  ${text}`, columns).map((line) => paint(fit(line, columns)))
  const size = bytes(removed.reduce((sum, one) => sum + one.bytes, 0))
  const question = `Remove ${pluralize(removed.length, 'session')} (${size}) from the agents' stores?`
  const promise = "What is removed stays readable in Ion's archive, and ctrl-x u restores it."
  const head = removed.length > 0 ? [...indented(question, colours.strong), ...indented(promise, colours.faint)] : []
  const lines = removed.map(({ row, bytes: own, subAgents }) => {
    const below = subAgents > 0 ? `, with ${pluralize(subAgents, 'sub-agent session')}` : ''
    const facts = `${row.agent} ${shortId(row)}, ${ago(row.updated_at, io.now())}, ${bytes(own)}${below}`
    return fit(`  - ${oneLine(row.title ?? '(no title)')} (${facts})`, columns)
  })
  const keptLines = kept.map(({ row, reason }) =>
    colours.warn(fit(`  - kept, ${oneLine(reason)}: ${oneLine(row.title ?? '(no title)')}`, columns)),
  )
  const all = [...lines, ...keptLines]
  const room = Math.max(1, rows - head.length)
  const more = fit(`  … and ${all.length - room + 1} more`, columns)
  return [...head, ...(all.length > room ? [...all.slice(0, room - 1), more] : all)]
}

const prompts: Readonly<Record<Field, string>> = {
  tag: 'tags',
  name: 'name',
  note: 'note',
  export: 'export to',
  share: 'share to',
}

/** What is typed at, and what has been typed; for the line of the filter. */
export function inputOf({ dialog, query }: PickerState): { readonly prompt: string; readonly text: string } {
  if (dialog?.kind === 'input') return { prompt: `${prompts[dialog.field]}>`, text: dialog.text }
  if (dialog?.kind === 'choice') return { prompt: `${dialog.of}>`, text: dialog.text }
  if (dialog?.kind === 'target') return { prompt: 'continue in>', text: dialog.text }
  return { prompt: '>', text: query }
}

const hints: Readonly<Record<Field, string>> = {
  tag: 'words to add, -word to remove',
  name: 'enter alone removes the name',
  note: 'enter alone removes the note',
  export: 'by its ending: .md, .html, .json, .jsonl; several sessions go to a folder',
  share: '.md or .html, with secrets, home paths and addresses masked',
}

export function inputHint({ dialog, scope }: PickerState): string {
  if (dialog?.kind === 'input') return hints[dialog.field]
  if (dialog?.kind === 'choice' || dialog?.kind === 'target') return 'type to filter'
  return scope === 'project' ? 'type to filter, ctrl-a for all projects' : 'type to filter'
}

/** Keys of the dialog, for the footer. */
export function dialogKeys(dialog: Dialog): string[] {
  switch (dialog.kind) {
    case 'help':
      return ['esc close']
    case 'menu':
      return [...menus[dialog.menu].map(({ key, label }) => `${key} ${label}`), 'esc cancel']
    case 'input':
      return [dialog.field === 'export' || dialog.field === 'share' ? 'enter write' : 'enter save', 'esc cancel']
    case 'choice':
      return ['enter choose', 'esc cancel']
    case 'target':
      return ['enter hand over and open', 'esc cancel']
    case 'removal': {
      const [yes, undo] = menus.remove
      return [
        ...(dialog.removal.removed.length > 0 ? [`${yes.key} ${yes.label}`] : []),
        ...(dialog.removal.canUndo ? [`${undo.key} ${undo.label}`] : []),
        'esc cancel',
      ]
    }
  }
}
