import type { Catalog } from '../../../catalog/catalog.ts'
import { changeMarks } from '../../../organise/change-marks.ts'
import { readMarks } from '../../../organise/read-marks.ts'
import { parseTag } from '../../../organise/tag.ts'
import { IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { tag } from '../../definitions/organise.ts'
import { tagText } from '../../list-title.ts'
import { shownIds } from '../../short-id.ts'
import { table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { oneLine } from '../../text.ts'
import { findFresh, refreshed, withCatalog } from '../../with-catalog.ts'

export const run: Run<typeof tag> = async ([reference, words], options, context) => {
  const { io, out, err } = context
  const { remove, json } = options
  if (remove && words.length === 0) {
    throw new IonError('usage', 'no tags to remove are given', { hint: 'ion tag --remove <id> <tag>…' })
  }
  // Before the index is opened, so that a mistake is reported at once.
  const tags = words.map(parseTag)
  return withCatalog(context, (catalog) => {
    if (reference === undefined) {
      listTags(catalog, json, context)
      return 'ok'
    }
    const row = findFresh(catalog, reference, context)
    const id = shownIds([row], catalog, out)(row)
    if (tags.length === 0) {
      for (const one of row.tags) out.write(`${json ? toJsonText({ tag: one }) : oneLine(one)}\n`)
      if (row.tags.length === 0) err.write(`${palette(err).faint(`${id} has no tags: ion tag ${id} <tag>`)}\n`)
      return 'ok'
    }
    const isChanged = (one: string): boolean => row.tags.includes(one) === remove
    const { tags: now } = changeMarks(io, row, remove ? { removeTags: tags } : { addTags: tags })
    if (json) {
      for (const one of now) out.write(`${toJsonText({ tag: one })}\n`)
      return 'ok'
    }
    const unchanged = tags.filter((one) => !isChanged(one))
    if (unchanged.length > 0) {
      err.write(`${palette(err).faint(`${id} ${remove ? 'did not have' : 'already had'} ${tagText(unchanged)}`)}\n`)
    }
    out.write(`${id}: ${now.length > 0 ? tagText(now) : 'no tags'}\n`)
    return 'ok'
  })
}

/** With the number of sessions that still exist. */
function listTags(catalog: Catalog, json: boolean, context: Context): void {
  const { io, out, err } = context
  refreshed(catalog, context)
  const tags = readMarks(io)
    .tags()
    .map(({ tag }) => ({ tag, sessions: catalog.count({ tags: [tag], hidden: true, subAgents: true }) }))
    .filter(({ sessions }) => sessions > 0)
  if (json) for (const one of tags) out.write(`${toJsonText(one)}\n`)
  else if (tags.length === 0) err.write(`${palette(err).faint('no session has a tag: ion tag <id> <tag>')}\n`)
  else {
    const colours = palette(out)
    const lines = table(
      [
        { title: 'tag', value: (one) => oneLine(one.tag), paint: colours.accent },
        { title: 'sessions', value: (one) => String(one.sessions), align: 'right' },
      ],
      tags,
      outputWidth({ io, out }),
      colours,
    )
    out.write(`${lines.join('\n')}\n`)
  }
}
