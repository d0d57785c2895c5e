import { readFileSync } from 'node:fs'
import { changeMarks } from '../../../organise/change-marks.ts'
import { IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { palette } from '../../colour.ts'
import type { OptionsOf, Run } from '../../command.ts'
import type { note } from '../../definitions/organise.ts'
import { editText } from '../../editor.ts'
import { shownIds } from '../../short-id.ts'
import { findFresh, withCatalog } from '../../with-catalog.ts'

export const run: Run<typeof note> = async ([reference, words], options, context) => {
  const { io, out, err } = context
  refuseSeveral(words, options)
  const { row, id } = await withCatalog(context, (catalog) => {
    const row = findFresh(catalog, reference, context)
    return { row, id: shownIds([row], catalog, out)(row) }
  })
  const say = (line: string): void => err.write(`${palette(err).faint(line)}\n`)
  const save = (text: string | null): void => {
    const { note: now } = changeMarks(io, row, { note: text })
    if (now === row.note) say(`${id}: ${now === null ? 'there was no note' : 'the note was the same already'}`)
    else {
      out.write(`${id}: note ${now === null ? 'removed' : row.note === null ? 'saved' : 'replaced'}\n`)
      if (row.note !== null && !options.edit) say(`it was: ${plain(row.note)}`)
    }
  }
  // The index is closed by now: an editor may be open for hours.
  if (options.edit) await editText(row.note ?? '', (text) => save(text.trim() === '' ? null : text), context)
  else if (options.remove) save(null)
  else if (words.length > 0) save(textOf(words))
  else if (row.note !== null) out.write(`${plain(row.note)}\n`)
  else say(`${id} has no note: ion note ${id} <text>`)
  return 'ok'
}

function refuseSeveral(words: readonly string[], { edit, remove }: OptionsOf<typeof note>): void {
  if ([words.length > 0, edit, remove].filter(Boolean).length < 2) return
  throw new IonError('usage', 'a text, --edit and --remove cannot be combined', { hint: 'use one of them' })
}

function textOf(words: readonly string[]): string {
  return words.length === 1 && words[0] === '-' ? readFileSync(0, 'utf8') : words.join(' ')
}
