import { eventsIn, readSession } from '../../../catalog/read-session.ts'
import { runningWeb } from '../../../server/browse/registry.ts'
import { requestLink } from '../../../server/browse/serve-web.ts'
import type { Run } from '../../command.ts'
import type { open } from '../../definitions/sessions.ts'
import { placesIn, withSession } from '../../with-session.ts'
import { placeOf } from '../show/shown-events.ts'
import { startDetached } from './background.ts'
import { openInBrowser } from './browser.ts'
import { webConfig } from './serving.ts'

export const run: Run<typeof open> = async ([reference], { print }, context) => {
  const { io, out } = context
  // The index is closed before the server opens it.
  const place = await withSession(
    context,
    placesIn(reference),
    { remote: false },
    ({ row, catalog, reference: named }) => {
      const event = named === reference ? undefined : reference.slice(named.length + 1)
      if (event === undefined) return { id: row.id, anchor: '' }
      // The beginning of an event's id is enough here, but not in an address.
      const { id } = placeOf(eventsIn(readSession(catalog.locate(row), io)), event, row)
      return { id: row.id, anchor: `#${encodeURIComponent(id)}` }
    },
  )
  const running = runningWeb(io)
  const { url, token } = running
    ? { url: running.url, token: await requestLink(running.url, io) }
    : await startDetached(webConfig({ port: undefined, readOnly: false }), context)
  const link = `${url}/s/${place.id}?token=${token}${place.anchor}`
  out.write(`${link}\n`)
  if (!print) openInBrowser(link, context)
  return 'ok'
}
