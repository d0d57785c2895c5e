import type { Catalog } from '../../../catalog/catalog.ts'
import { changeMarks } from '../../../organise/change-marks.ts'
import { IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { pin } from '../../definitions/organise.ts'
import { listTitle } from '../../list-title.ts'
import { shownIds } from '../../short-id.ts'
import { findFresh, refreshed, withCatalog } from '../../with-catalog.ts'
import { sessionTable } from '../sessions.ts'

export const run: Run<typeof pin> = async ([references], { remove, json }, context) => {
  const { io, out } = context
  if (remove && references.length === 0) {
    throw new IonError('usage', 'no session is given', { hint: 'ion pin --remove <id>; ion pin lists the pinned ones' })
  }
  return withCatalog(context, (catalog) => {
    // All are found before any is changed.
    const rows = references.map((reference) => findFresh(catalog, reference, context))
    for (const row of rows) changeMarks(io, row, { pinned: !remove })
    if (json || rows.length === 0) {
      listPinned(catalog, json, context)
      return 'ok'
    }
    const shownId = shownIds(rows, catalog, out)
    const [done, was] = remove ? ['unpinned', 'was not pinned'] : ['pinned', 'was already pinned']
    for (const row of rows) {
      const title = listTitle({ ...row, pinned: false, tags: [] }, 'untitled')
      out.write(`${row.pinned === remove ? done : was}: ${shownId(row)}  ${title}\n`)
    }
    return 'ok'
  })
}

function listPinned(catalog: Catalog, json: boolean, context: Context): void {
  const { out, err } = context
  refreshed(catalog, context)
  const rows = catalog.sessions({ pinned: true, hidden: true, subAgents: true })
  if (json) for (const row of rows) out.write(`${toJsonText(row)}\n`)
  else if (rows.length > 0) {
    out.write(`${sessionTable(rows, shownIds(rows, catalog, out), true, context).join('\n')}\n`)
  } else err.write(`${palette(err).faint('no session is pinned: ion pin <id>')}\n`)
}
