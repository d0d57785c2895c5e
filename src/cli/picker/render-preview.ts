import { bytes, pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import { dayOf, minuteOf } from '../../platform/local-time.ts'
import { plain } from '../../platform/plain-text.ts'
import { tagText } from '../list-title.ts'
import { markLine } from '../mark-line.ts'
import { markedLine } from '../snippet.ts'
import { ago, fit, oneLine, width, wrap } from '../text.ts'
import type { View } from './render.ts'
import { layOut, type Match, type PickerState, type Preview, type Size, selectedRow } from './state.ts'

/** The selected session in a few lines: metadata, the match, the first prompt and the last exchange; all of them if scrolled. */
export function previewLines(state: PickerState, size: Size, view: View): string[] {
  const { previewTop } = state
  if (previewTop > 0) return allLines(state, size, view).slice(previewTop, previewTop + size.rows)
  const { columns, rows } = size
  const roomy = isRoomy(size)
  const lines = headLines(state, size, view)
  const parts = partsOf(state)
  for (const [index, [name, text]] of parts.entries()) {
    const room = rows - lines.length - (roomy ? 2 : 0)
    // Each part leaves space for the following ones.
    const share = Math.max(1, Math.floor(room / (parts.length - index)) - (roomy ? 1 : 0))
    lines.push(...part(name, text, { columns, rows: index === parts.length - 1 ? room : share }, roomy, view))
  }
  return lines.slice(0, rows)
}

/** How far the preview can be scrolled. */
export function previewLimit(state: PickerState, view: View): number {
  const { preview } = layOut(state.size)
  return Math.max(0, allLines(state, preview, view).length - preview.rows)
}

function allLines(state: PickerState, size: Size, view: View): string[] {
  const { columns } = size
  const texts = partsOf(state).flatMap(([name, text]) =>
    part(name, text, { columns, rows: Number.POSITIVE_INFINITY }, isRoomy(size), view),
  )
  return [...headLines(state, size, view), ...texts]
}

/** Enough space for headings and blank lines. */
function isRoomy({ rows }: Size): boolean {
  return rows >= 12
}

function headLines(state: PickerState, size: Size, view: View): string[] {
  const { columns } = size
  const match = state.matches[state.selected]
  if (!match) return []
  const { matcher } = state.wanted
  const roomy = isRoomy(size)
  const about = roomy ? facts(match, columns, view) : shortFacts(match, columns, view)
  const lines = matcher ? about.map((line) => markLine(line, matcher, view.colours.mark)) : [...about]
  if (match.hit) lines.push(...matchLines(match, columns, roomy, view))
  const problem = previewOf(state)?.problem
  return problem ? [...lines, view.colours.bad(fit(oneLine(problem), columns))] : lines
}

function previewOf(state: PickerState): Preview | undefined {
  return state.preview !== undefined && state.preview.id === selectedRow(state)?.id ? state.preview : undefined
}

function partsOf(state: PickerState): (readonly [name: string, text: string])[] {
  const { firstPrompt, lastPrompt, lastAnswer } = previewOf(state) ?? {}
  const parts: (readonly [string, string | null | undefined])[] = [
    ['First prompt', firstPrompt],
    ['Last prompt', lastPrompt === firstPrompt ? null : lastPrompt],
    ['Last answer', lastAnswer],
  ]
  return parts.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
}

function facts({ row }: Match, columns: number, { colours, io }: View): string[] {
  const size = [pluralize(row.messages, 'message'), pluralize(row.tool_calls, 'tool call'), bytes(row.bytes)].join(', ')
  const last = row.updated_at === null ? undefined : new Date(row.updated_at)
  const age = ago(row.updated_at, io.now())
  const when = last ? `${dayOf(last)} ${minuteOf(last)} (${age === 'now' ? 'just now' : `${age} ago`})` : 'unknown time'
  const title = wrap(oneLine(row.title ?? '(no title)'), columns).slice(0, 2)
  const notes = [
    row.live ? 'open in another process' : '',
    row.resumable ? '' : 'cannot be resumed',
    row.only_in_archive ? "only in Ion's archive" : row.archived ? 'archived' : '',
    row.problems > 0 ? `${pluralize(row.problems, 'record')} could not be read` : '',
  ].filter(Boolean)
  return [
    ...title.map(colours.strong),
    ...(row.tags.length > 0 ? [colours.accent(fit(tagText(row.tags), columns))] : []),
    ...(row.note === null ? [] : wrap(oneLine(row.note), columns).slice(0, 3)),
    colours.faint(fit([row.agent, oneLine(row.model ?? '')].filter(Boolean).join(' · '), columns)),
    colours.faint(fit(size, columns)),
    colours.faint(fit(oneLine(tilde(row.cwd ?? '(no folder)', io)), columns)),
    colours.faint(fit(when, columns)),
    colours.faint(fit(row.id, columns)),
    ...(notes.length ? [colours.warn(fit(notes.join(', '), columns))] : []),
  ]
}

function shortFacts({ row }: Match, columns: number, { colours, io, shortId }: View): string[] {
  const where = oneLine(tilde(row.cwd ?? '', io))
  const about = [shortId(row), tagText(row.tags), pluralize(row.messages, 'message'), where].filter(Boolean).join(' · ')
  return [colours.faint(fit(about, columns)), ...(row.note === null ? [] : [fit(oneLine(row.note), columns)])]
}

function matchLines({ hit }: Match, columns: number, roomy: boolean, { colours }: View): string[] {
  if (!hit) return []
  const lines = [`${colours.accent('match')} ${markedLine(hit, columns - 6, colours.mark)}`]
  return roomy ? ['', ...lines] : lines
}

const MAX_TEXT_LENGTH = 4000

function part(name: string, text: string, size: Size, roomy: boolean, { colours }: View): string[] {
  if (size.rows <= 0) return []
  const body = plain(text.slice(0, MAX_TEXT_LENGTH))
    .trim()
    .replace(/\n{2,}/g, '\n')
  if (!roomy) {
    const label = name === 'Last answer' ? '< ' : '> '
    const lines = firstLines(wrap(oneLine(body), size.columns - 2), { columns: size.columns - 2, rows: size.rows })
    return lines.map((line, index) => `${index === 0 ? colours.accent(label) : '  '}${line}`)
  }
  return ['', colours.accent(name), ...firstLines(wrap(body, size.columns), size)]
}

/** As many as fit, with … if there are more. */
function firstLines(lines: readonly string[], { columns, rows }: Size): string[] {
  const shown = lines.slice(0, rows)
  const last = shown.length < lines.length ? shown.pop() : undefined
  if (last !== undefined) shown.push(width(last) + 2 <= columns ? `${last} …` : fit(`${last}…`, columns))
  return shown
}
