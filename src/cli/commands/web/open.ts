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
      const event = reference.slice(named.length + 1)
      // Whoever names the agent may have to: another one can have a session of the same id.
      const session = named.startsWith(`${row.agent}:`) ? `${row.agent}:${row.id}` : row.id
      if (event === '') return { session, anchor: '' }
      // The beginning of an event's id is enough here, but not in an address.
      const { id } = placeOf(eventsIn(readSession(catalog.locate(row), io)), event, row)
      return { session, anchor: `#${encodeURIComponent(id)}` }
    },
  )
  const running = runningWeb(io)
  const { url, token } = running
    ? { url: running.url, token: await requestLink(running.url, io) }
    : await startDetached(webConfig({ port: undefined, readOnly: false }), context)
  const link = `${url}/s/${place.session}?token=${token}${place.anchor}`
  out.write(`${link}\n`)
  if (!print) openInBrowser(link, context)
  return 'ok'
}
