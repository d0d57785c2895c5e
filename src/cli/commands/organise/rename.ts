import { changeMarks } from '../../../organise/change-marks.ts'
import type { Run } from '../../command.ts'
import type { rename } from '../../definitions/organise.ts'
import { shownIds } from '../../short-id.ts'
import { oneLine } from '../../text.ts'
import { findFresh, withCatalog } from '../../with-catalog.ts'

export const run: Run<typeof rename> = async ([reference, words], _options, context) => {
  const { io, out } = context
  return withCatalog(context, (catalog) => {
    const before = findFresh(catalog, reference, context)
    const { name } = changeMarks(io, before, { name: words.length > 0 ? words.join(' ') : null })
    const after = catalog.locate(before).head.title
    const quoted = (title: string | null): string => (title === null ? 'untitled' : `"${oneLine(title)}"`)
    const what =
      name === before.name
        ? `${name === null ? 'has no given name; its title is' : 'already has the name'} ${quoted(name ?? after)}`
        : `${quoted(before.title)} -> ${quoted(name ?? after)}`
    out.write(`${shownIds([before], catalog, out)(before)}: ${what}\n`)
    return 'ok'
  })
}
