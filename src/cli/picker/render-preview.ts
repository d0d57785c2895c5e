import { tilde } from '../../platform/home.ts'
import { dayOf, minuteOf } from '../../platform/local-time.ts'
import { plain } from '../../platform/plain-text.ts'
import { markedLine } from '../snippet.ts'
import { ago, bytes, fit, oneLine, pluralize, width, wrap } from '../text.ts'
import type { View } from './render.ts'
import { type Match, type PickerState, type Size, selectedRow } from './state.ts'

/** The selected session in a few lines: metadata, the match, the first prompt and the last exchange. */
export function previewLines(state: PickerState, { columns, rows }: Size, view: View): string[] {
  const match = state.matches[state.selected]
  const row = selectedRow(state)
  if (!match || !row) return []
  const roomy = rows >= 12
  const lines = [...(roomy ? facts(match, columns, view) : shortFacts(match, columns, view))]
  const preview = state.preview?.id === row.id ? state.preview : undefined
  if (match.hit) lines.push(...matchLines(match, columns, roomy, view))
  const parts: (readonly [string, string | null | undefined])[] = [['First prompt', preview?.firstPrompt]]
  if (preview?.lastPrompt && preview.lastPrompt !== preview.firstPrompt) parts.push(['Last prompt', preview.lastPrompt])
  parts.push(['Last answer', preview?.lastAnswer])
  if (preview?.problem) lines.push(view.colours.bad(fit(preview.problem, columns)))
  for (const [index, [name, text]] of parts.entries()) {
    if (!text) continue
    const room = rows - lines.length - (roomy ? 2 : 0)
    // Each part leaves space for the following ones.
    const share = Math.max(1, Math.floor(room / (parts.length - index)) - (roomy ? 1 : 0))
    lines.push(...part(name, text, { columns, rows: index === parts.length - 1 ? room : share }, roomy, view))
  }
  return lines.slice(0, rows)
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
  return [
    colours.faint(fit([shortId(row), pluralize(row.messages, 'message'), where].filter(Boolean).join(' · '), columns)),
  ]
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
