import type { SessionRow } from '../../catalog/session-row.ts'
import { formatCount, pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { Palette } from '../colour.ts'
import { fit, oneLine, pad, width } from '../text.ts'
import { dialogKeys, dialogLines, inputHint, inputOf } from './render-dialog.ts'
import { listLines } from './render-list.ts'
import { previewLines } from './render-preview.ts'
import { isForText, layOut, MIN_TEXT_QUERY, type PickerState } from './state.ts'

export interface View {
  readonly colours: Palette
  readonly io: Io
  /** The beginning of its id, as long as is unique. */
  readonly shortId: (row: SessionRow) => string
  /** What Enter does with the selected session. */
  readonly enter: 'show' | 'resume'
  /** Options of the command leave sessions out. */
  readonly isNarrowed: boolean
}

/** The screen as lines: exactly as many as it has rows, none wider than it. Only visible rows are rendered. */
export function render(state: PickerState, view: View): string[] {
  const { size, dialog } = state
  const { list, preview } = layOut(size)
  const body = { columns: size.columns, rows: Math.max(1, size.rows - 4) }
  const inFront = dialog && dialogLines(state, dialog, body, view)
  const place = inFront ? 'none' : preview.place
  const lines = [
    heading(state, view),
    queryLine(state, view),
    infoLine(state, place === 'beside' ? list.columns : 0, view),
  ]
  if (inFront) lines.push(...filled(inFront, body.rows))
  else if (place === 'none') lines.push(...filled(listLines(state, list, view), body.rows))
  else if (place === 'beside') {
    const right = filled(previewLines(state, preview, view), list.rows)
    const left = filled(listLines(state, list, view), list.rows)
    const bar = view.colours.faint('│')
    for (const [index, line] of left.entries()) lines.push(`${line || ' '.repeat(list.columns)} ${bar} ${right[index]}`)
  } else {
    lines.push(...filled(listLines(state, list, view), list.rows), view.colours.faint('─'.repeat(size.columns)))
    lines.push(...filled(previewLines(state, preview, view), preview.rows))
  }
  lines.push(footer(state, view))
  return lines.slice(0, size.rows)
}

/** The cursor is at the end of what was typed. */
export function cursorOf(state: PickerState): { row: number; column: number } {
  const { prompt, text } = inputOf(state)
  return { row: 1, column: Math.min(prompt.length + 1 + width(typedText(text)), state.size.columns - 1) }
}

/** On one line, with the blanks at its ends. */
function typedText(text: string): string {
  return oneLine(`.${text}.`).slice(1, -1)
}

function heading(state: PickerState, { colours, io }: View): string {
  const { columns } = state.size
  const where = state.scope === 'project' && state.project !== null ? tilde(state.project, io) : 'all projects'
  const filters = [oneLine(where), state.agent ?? '', state.order === 'newest' ? '' : `by ${state.order}`].filter(
    Boolean,
  )
  const found = `${formatCount(state.matches.length)} of ${formatCount(state.inScope.length)}`
  const hidden = state.unlisted > 0 ? ` (+ ${formatCount(state.unlisted)} hidden)` : ''
  const marked = state.marked.size > 0 ? `${formatCount(state.marked.size)} marked · ` : ''
  const shown = fit(`${marked}${found}${hidden}`, Math.floor(columns / 2))
  const left = fit(['Sessions', ...filters].join(' · '), columns - width(shown) - 1)
  return `${colours.strong(pad(left, columns - width(shown)))}${colours.faint(shown)}`
}

function queryLine(state: PickerState, { colours }: View): string {
  const { prompt, text } = inputOf(state)
  const room = Math.max(0, state.size.columns - prompt.length - 2)
  const shown = text === '' ? colours.faint(fit(inputHint(state), room)) : endOf(typedText(text), room)
  return `${colours.accent(fit(prompt, state.size.columns))} ${shown}`
}

/** The end of a text that is too long, where typing continues. */
function endOf(text: string, columns: number): string {
  let shown = text
  while (width(shown) > columns) shown = [...shown].slice(1).join('')
  return shown
}

/** A line across, with what is being done and what was searched. `at`: the column of the preview, 0 if it is not beside. */
function infoLine(state: PickerState, at: number, { colours }: View): string {
  const { columns } = state.size
  const info = infoOf(state)
  const text = info === '' ? '' : `── ${fit(info, columns - 4)} `
  const rest = columns - width(text)
  const joint = at + 1 - width(text)
  if (at === 0 || joint < 0) return colours.faint(`${text}${'─'.repeat(Math.max(0, rest))}`)
  return colours.faint(`${text}${'─'.repeat(joint)}┬${'─'.repeat(Math.max(0, rest - joint - 1))}`)
}

function infoOf(state: PickerState): string {
  return [state.status, searchInfo(state)].filter(Boolean).map(oneLine).join(' · ')
}

/** What of the text was searched, and what was not. */
function searchInfo(state: PickerState): string {
  const { query, wanted, texts } = state
  if (wanted.problem !== '') return `text is not searched: ${wanted.problem}`
  if (query.trim().length === 1) return `text is searched from ${MIN_TEXT_QUERY} characters on`
  if (!isForText(state)) return ''
  if (!texts) return 'searching text …'
  const { done, total, isComplete, unsearched, hits } = texts
  const searched = `${formatCount(done)} of ${pluralize(total, 'session')}`
  if (!isComplete) return `searching text … ${searched}`
  if (done < total) return `the newest ${formatCount(hits.length)} hits, in ${searched}: ion search finds all`
  const problems = unsearched > 0 ? `; ${formatCount(unsearched)} not readable: ion search names them` : ''
  return `text of ${pluralize(total, 'session')} searched${problems}`
}

function footer(state: PickerState, { colours, enter }: View): string {
  const { columns } = state.size
  if (state.notice !== '') return colours.warn(fit(oneLine(state.notice), columns))
  if (state.dialog) return colours.accent(fit(dialogKeys(state.dialog).join(' · '), columns))
  const scopes = state.project === null ? [] : [state.scope === 'project' ? '^a all' : '^a project']
  const enters = enter === 'resume' ? ['enter resume'] : ['enter show', '^r resume']
  const isTyped = state.query !== ''
  const hints = [
    ...enters,
    ...scopes,
    `esc ${isTyped ? 'clear' : state.marked.size > 0 ? 'unmark' : state.agent !== null ? 'all agents' : 'quit'}`,
    'tab mark',
    '^y copy',
    '^t tag',
    '^e export',
    '^x remove',
    '^k continue in',
    // With a filter a question mark is a part of it.
    isTyped ? 'F1 help' : '? help',
  ]
  // If there is not enough space, the last ones are dropped first, but never the help.
  while (width(hints.join(' · ')) > columns && hints.length > 1) hints.splice(hints.length === 2 ? 0 : -2, 1)
  return colours.faint(fit(hints.join(' · '), columns))
}

function filled(lines: readonly string[], rows: number): string[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? '')
}
