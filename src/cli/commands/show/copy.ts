import type { SessionLookup } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { contentText } from '../../../events/text.ts'
import { IonError } from '../../../platform/error.ts'
import { formatCount } from '../../../platform/format-count.ts'
import { copyText } from '../../clipboard.ts'
import type { Context } from '../../command.ts'
import { turnWith } from './part.ts'
import { type ShowOptions, shownEvents } from './shown-events.ts'

export function copySession(catalog: SessionLookup, row: SessionRow, options: ShowOptions, context: Context): void {
  const text = textToCopy(catalog, row, options, context)
  const through = copyToClipboard(text, row, context)
  context.err.write(`copied ${formatCount(text.length)} characters ${through}\n`)
}

/** Copies a text of the session and returns how, as `through the terminal`. Throws `failed` if there is no clipboard. */
export function copyToClipboard(text: string, { id }: SessionRow, context: Context): string {
  const how = copyText(text, context)
  if (how === undefined) {
    throw new IonError('failed', 'there is no clipboard here', { hint: `ion show ${id} > file` })
  }
  return `through ${how === 'terminal' ? 'the terminal' : how}`
}

/** The prompts and answers of the part that was asked for, as they were written; by default the last answer. */
export function textToCopy(catalog: SessionLookup, row: SessionRow, options: ShowOptions, context: Context): string {
  const { events, at } = shownEvents(catalog, row, options, context)
  const wanted = at === undefined ? [...events()] : turnWith(events(), ({ id }) => id === at)
  const texts = wanted.flatMap((event) =>
    event.type === 'user' || event.type === 'assistant' ? contentText(event.content).trim() || [] : [],
  )
  const isPart = at !== undefined || options.part.kind !== 'all'
  const answer = wanted.findLast((event) => event.type === 'assistant')
  const text = isPart ? texts.join('\n\n') : answer ? contentText(answer.content) : ''
  if (text === '') throw new IonError('not-found', 'there is no text to copy', { hint: `ion show ${row.id}` })
  return text
}
