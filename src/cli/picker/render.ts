import type { SessionRow } from '../../catalog/session-row.ts'
import { tilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import type { Palette } from '../colour.ts'
import { listTitle } from '../list-title.ts'
import { ago, fit, oneLine, pad, width } from '../text.ts'
import { previewLines } from './render-preview.ts'
import { layOut, type Match, type PickerState, type Size } from './state.ts'

export interface View {
  readonly colours: Palette
  readonly io: Io
  /** The beginning of its id, as long as is unique. */
  readonly shortId: (row: SessionRow) => string
  /** What Enter does with the selected session. */
  readonly enter: 'show' | 'resume'
}

const RESUME = 'resume the session in its agent'

const keyHelp = (enter: View['enter']): readonly (readonly [key: string, what: string])[] => [
  ['type', 'filter by title, folder, agent, id; then by text'],
  ['up, down', 'select (also ctrl-p, ctrl-n, page up, page down)'],
  ['enter', enter === 'resume' ? RESUME : 'read the session (never starts an agent)'],
  ['ctrl-r', RESUME],
  ['ctrl-e', 'quit and print the command that exports it'],
  ['ctrl-y', 'quit, copy the id and print it'],
  ['tab', 'this project / all projects'],
  ['ctrl-u', 'clear the filter (ctrl-w: the last word)'],
  ['esc', 'quit (also ctrl-c)'],
]

/** The screen as lines: exactly as many as it has rows, none wider than it. Only visible rows are rendered. */
export function render(state: PickerState, view: View): string[] {
  const { size } = state
  const { list, preview } = layOut(size)
  const body = state.help ? helpLines(state, view) : listLines(state, list, view)
  const lines = [
    heading(state, view),
    queryLine(state, view),
    rule(size.columns, preview.place, list.columns, '┬', view),
  ]
  if (state.help || preview.place === 'none') lines.push(...filled(body, Math.max(1, size.rows - 4)))
  else if (preview.place === 'beside') {
    const right = filled(previewLines(state, preview, view), list.rows)
    const left = filled(body, list.rows)
    const bar = view.colours.faint('│')
    for (const [index, line] of left.entries()) lines.push(`${line || ' '.repeat(list.columns)} ${bar} ${right[index]}`)
  } else {
    lines.push(...filled(body, list.rows), rule(size.columns, 'below', 0, '─', view))
    lines.push(...filled(previewLines(state, preview, view), preview.rows))
  }
  lines.push(footer(state, view))
  return lines.slice(0, size.rows)
}

/** The cursor is at the end of the query. */
export function cursorOf(state: PickerState): { row: number; column: number } {
  return { row: 1, column: Math.min(2 + width(oneLine(`.${state.query}.`)) - 2, state.size.columns - 1) }
}

function heading(state: PickerState, { colours, io }: View): string {
  const { columns } = state.size
  const where = state.scope === 'project' && state.project !== null ? tilde(state.project, io) : 'all projects'
  const unlisted = state.unlisted[state.scope]
  const count = `${state.matches.length} of ${state.inScope.length}${unlisted > 0 ? ` (+ ${unlisted} hidden)` : ''}`
  const right = state.status === '' ? count : `${state.status} · ${count}`
  const shown = fit(right, Math.floor(columns / 2))
  const left = fit(`Sessions · ${oneLine(where)}`, columns - width(shown) - 1)
  return `${colours.strong(pad(left, columns - width(shown)))}${colours.faint(shown)}`
}

function queryLine({ query, size, scope }: PickerState, { colours }: View): string {
  const room = size.columns - 3
  if (query === '') {
    const hint = scope === 'project' ? 'type to filter, tab for all projects' : 'type to filter'
    return `${colours.accent('>')} ${colours.faint(fit(hint, room))}`
  }
  return `${colours.accent('>')} ${endOf(oneLine(`.${query}.`).slice(1, -1), room)}`
}

/** The end of a text that is too long, where typing continues. */
function endOf(text: string, columns: number): string {
  let shown = text
  while (width(shown) > columns) shown = [...shown].slice(1).join('')
  return shown
}

function rule(columns: number, place: string, at: number, joint: string, { colours }: View): string {
  if (place !== 'beside') return colours.faint('─'.repeat(columns))
  return colours.faint(`${'─'.repeat(at + 1)}${joint}${'─'.repeat(Math.max(0, columns - at - 2))}`)
}

function listLines(state: PickerState, size: Size, view: View): string[] {
  if (state.matches.length === 0) return emptyLines(state, size, view)
  return state.matches
    .slice(state.top, state.top + size.rows)
    .map((match, index) => listLine(match, state.top + index === state.selected, state.scope, size.columns, view))
}

function listLine({ row, hit }: Match, selected: boolean, scope: string, columns: number, view: View): string {
  const { colours, io } = view
  const agentColumns = columns >= 34 ? 8 : 0
  const folderColumns = scope === 'all' && columns >= 60 ? Math.min(20, Math.floor(columns / 5)) : 0
  const titleColumns = columns - 2 - 4 - 2 - (agentColumns && agentColumns + 1) - (folderColumns && folderColumns + 1)
  const found = hit ? oneLine(hit.snippet) : ''
  const title = `${row.only_in_archive ? '[archive] ' : ''}${listTitle(row, found || '(no title)')}`
  const folder = row.cwd?.split('/').filter(Boolean).at(-1) ?? ''
  const parts = {
    age: pad(ago(row.updated_at, io.now()), 4, 'right'),
    sign: row.live ? '*' : hit ? '"' : ' ',
    agent: agentColumns ? `${pad(row.agent, agentColumns)} ` : '',
    title: pad(title, titleColumns),
    folder: folderColumns ? ` ${pad(oneLine(folder), folderColumns)}` : '',
  }
  if (selected) return colours.mark(`> ${parts.age}${parts.sign} ${parts.agent}${parts.title}${parts.folder}`)
  const sign = row.live ? colours.good(parts.sign) : colours.accent(parts.sign)
  return `  ${colours.faint(parts.age)}${sign} ${colours.accent(parts.agent)}${parts.title}${colours.faint(parts.folder)}`
}

function emptyLines(state: PickerState, { columns }: Size, { colours }: View): string[] {
  const text =
    state.rows.length === 0
      ? ['No sessions on this machine yet.', 'ion demo shows sample sessions.']
      : state.scope === 'project'
        ? ['No matching sessions in this project.', 'tab searches all projects.']
        : ['No matching sessions.', 'ion search looks in their full text.']
  return ['', ...text].map((line) => colours.faint(pad(`  ${line}`, columns)))
}

const HIDDEN = ['hidden', 'ion sessions --sub-agents --hidden lists these too'] as const

function helpLines({ size: { columns }, unlisted, scope }: PickerState, { colours, enter }: View): string[] {
  const lines = [...keyHelp(enter), ...(unlisted[scope] > 0 ? [HIDDEN] : [])].map(
    ([key, what]) => `  ${colours.accent(pad(key, 10))}${fit(what, Math.max(0, columns - 12))}`,
  )
  return ['', ...lines, '', colours.faint(fit('  press any key to return', columns))]
}

function footer(state: PickerState, { colours, enter }: View): string {
  const { columns } = state.size
  if (state.notice !== '') return colours.warn(fit(state.notice, columns))
  const scopes = state.project === null ? [] : [state.scope === 'project' ? 'tab all' : 'tab project']
  const enters = enter === 'resume' ? ['enter resume'] : ['enter show', '^r resume']
  const hints = [...enters, '^e export', '^y copy id', ...scopes, 'esc quit', '? help']
  // If there is not enough space, the last ones are dropped first, but never the help.
  while (width(hints.join(' · ')) > columns && hints.length > 1) hints.splice(hints.length === 2 ? 0 : -2, 1)
  return colours.faint(fit(hints.join(' · '), columns))
}

function filled(lines: readonly string[], rows: number): string[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? '')
}
