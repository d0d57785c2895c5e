import { basename } from 'node:path'
import type { TextMatcher } from '../../catalog/search/text-query.ts'
import { folderNames } from '../../platform/folder-names.ts'
import { tilde } from '../../platform/home.ts'
import { listTitle } from '../list-title.ts'
import { markedLine } from '../snippet.ts'
import { ago, fit, oneLine, pad, width } from '../text.ts'
import { fieldsOf, hasOneOf, type Listed, missingIn } from './match.ts'
import type { View } from './render.ts'
import { isForText, keyOf, type Match, type PickerState, type Size } from './state.ts'

type Paint = (text: string) => string

export function listLines(state: PickerState, size: Size, view: View): string[] {
  if (state.matches.length === 0) return emptyLines(state, size, view)
  return state.matches
    .slice(state.top, state.top + size.rows)
    .map((match, index) => listLine(match, state.top + index === state.selected, state, size.columns, view))
}

function listLine(match: Match, selected: boolean, state: PickerState, columns: number, view: View): string {
  const { row, hit } = match
  const { colours, io } = view
  const agentColumns = columns >= 34 ? 8 : 0
  const folderColumns = state.scope === 'all' && columns >= 60 ? Math.min(20, Math.floor(columns / 5)) : 0
  const titleColumns = columns - 2 - 4 - 2 - (agentColumns && agentColumns + 1) - (folderColumns && folderColumns + 1)
  const folder = folderColumns ? oneLine(folderName(row.cwd, state.rows, view)) : ''
  // In the selected line, which is inverted, what matches is not.
  const base = (paint: Paint): Paint => (selected ? colours.mark : paint)
  const found: Paint = selected ? colours.strong : (text) => colours.strong(colours.warn(text))
  const marked = (text: string, paint: Paint): string => paintMatches(text, state.wanted.matcher, found, base(paint))
  const isMarked = state.marked.has(keyOf(row))
  const sign = row.live ? '*' : hit ? '"' : ' '
  const title = `${row.only_in_archive ? '[archive] ' : ''}${listTitle(row, '(no title)')}`
  const reason = reasonOf(match, [fit(title, titleColumns), agentColumns ? row.agent : '', folder], state, view)
  return [
    base(isMarked ? colours.warn : (text) => text)(`${selected ? '>' : ' '}${isMarked ? '+' : ' '}`),
    base(colours.faint)(pad(ago(row.updated_at, io.now()), 4, 'right')),
    base(row.live ? colours.good : colours.accent)(`${sign} `),
    agentColumns ? marked(`${pad(row.agent, agentColumns)} `, colours.accent) : '',
    titleAndReason(title, reason, titleColumns, {
      text: (text) => marked(text, plainly),
      faint: base(colours.faint),
      found,
    }),
    folderColumns ? marked(` ${pad(folder, folderColumns)}`, colours.faint) : '',
  ].join('')
}

/** Of these sessions; there may be very many, and they seldom change. */
const namesOf = new WeakMap<readonly Listed[], ReadonlyMap<string, string>>()

function folderName(cwd: string | null, rows: readonly Listed[], { io }: View): string {
  const names =
    namesOf.get(rows) ?? folderNames(new Set(rows.flatMap(({ row }) => (row.cwd === null ? [] : tilde(row.cwd, io)))))
  namesOf.set(rows, names)
  const folder = tilde(cwd ?? '', io)
  return names.get(folder) ?? basename(folder)
}

const plainly: Paint = (text) => text

interface Paints {
  readonly text: Paint
  readonly faint: Paint
  readonly found: Paint
}

interface Reason {
  readonly snippet: string
  readonly marks: readonly (readonly [number, number])[]
}

/** The share of the line that a title keeps if there is a reason to show. */
const TITLE_SHARE = 0.45
/** With fewer columns there is only space for one of them. */
const MIN_BOTH = 36
const BETWEEN = ' · '

function titleAndReason(title: string, reason: Reason | undefined, columns: number, paints: Paints): string {
  if (!reason) return paints.text(pad(title, columns))
  const shown = columns < MIN_BOTH ? '' : `${fit(title, Math.floor(columns * TITLE_SHARE))}${BETWEEN}`
  const left = columns - width(shown)
  const line = markedLine(reason, left, paints.found, paints.faint)
  return `${paints.text(shown)}${line}${paints.faint(' '.repeat(Math.max(0, left - width(line))))}`
}

/** Where the session matched, if that cannot be seen in what is shown of it anyway. */
function reasonOf({ row, hit }: Match, shown: readonly string[], state: PickerState, { io }: View): Reason | undefined {
  const { wanted } = state
  const missing = missingIn(shown.join('\0'), wanted)
  if (missing.length === 0 && !wanted.isOnlyText) return undefined
  const fields = [tilde(row.cwd ?? '', io), ...fieldsOf(row)].map(oneLine)
  const field = fields.find((text) => hasOneOf(text, missing))
  if (field !== undefined && wanted.matcher) return { snippet: field, marks: wanted.matcher.ranges(field) }
  // A hit in the title is shown there.
  return hit && hit.role !== 'title' ? hit : undefined
}

function paintMatches(text: string, matcher: TextMatcher | undefined, found: Paint, rest: Paint): string {
  const ranges = matcher?.ranges(text) ?? []
  let painted = ''
  let at = 0
  for (const [start, end] of ranges) {
    painted += rest(text.slice(at, start)) + found(text.slice(start, end))
    at = end
  }
  return painted + rest(text.slice(at))
}

function emptyLines(state: PickerState, { columns }: Size, { colours, isNarrowed }: View): string[] {
  return ['', ...emptyText(state, isNarrowed)].map((line) => colours.faint(pad(`  ${line}`, columns)))
}

function emptyText(state: PickerState, isNarrowed: boolean): string[] {
  const { rows, status, texts, scope, agent } = state
  const isBusy = status !== '' || (isForText(state) && texts?.isComplete !== true)
  if (isBusy) return [rows.length === 0 ? 'Loading sessions …' : 'Nothing found yet …']
  if (rows.length === 0 && isNarrowed) return ['No session matches the options of the command.']
  if (rows.length === 0) return ['No sessions on this machine yet.', 'ion demo shows sample sessions.']
  if (scope === 'project') return ['No matching sessions in this project.', 'ctrl-a searches all projects.']
  return agent === null ? ['No matching sessions.'] : [`No matching sessions of ${agent}.`, 'ctrl-g chooses another.']
}
