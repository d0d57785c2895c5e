import type { SessionLookup } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { show } from '../../definitions/sessions.ts'
import { ProblemSummary } from '../../problem-summary.ts'
import { placesIn, withSession } from '../../with-session.ts'
import { type Part, parsePart, turnWith } from './part.ts'
import { archiveNotes, showSession } from './show-session.ts'
import { type ShowOptions, shownEvents } from './shown-events.ts'

export const run: Run<typeof show> = async ([reference], options, context) => {
  const part = parsePart(options.last, options.turn)
  refuseTogether(options, part)
  // A query must be one before anything is printed.
  if (options.mark !== undefined) (await import('./mark.ts')).parseMark(options.mark, context.io)
  await withSession(context, placesIn(reference), options, async ({ catalog, row, reference: named }) => {
    const event = named === reference ? undefined : reference.slice(named.length + 1)
    if (event !== undefined) refuseWithEvent(options.follow, part)
    const shown: ShowOptions = { ...options, part, at: options.at ?? event }
    if (options.copy) (await import('./copy.ts')).copySession(catalog, row, shown, context)
    else if (options.json) await showJson(catalog, row, shown, context)
    else if (options.follow) await (await import('./follow.ts')).followSession(catalog, row, shown, context)
    else await showSession(catalog, row, shown, context, { off: !options.pager })
  })
  return 'ok'
}

/** A turn and an event are places, `--follow` is the end. */
function refuseTogether({ at, follow, json, copy }: OptionsOf<typeof show>, part: Part): void {
  const given = [
    ...(follow ? ['--follow'] : []),
    ...(part.kind === 'turns' ? ['--turn'] : []),
    ...(json ? ['--json'] : []),
    ...(copy ? ['--copy'] : []),
  ]
  const together = follow ? given : given.filter((option) => option === '--json' || option === '--copy')
  if (together.length > 1) throw cannotCombine(together)
  if (at !== undefined) refuseWithEvent(follow, part)
}

function refuseWithEvent(follow: boolean, part: Part): void {
  if (follow) throw cannotCombine(['an event', '--follow'])
  if (part.kind !== 'all') throw cannotCombine(['an event', part.kind === 'last' ? '--last' : '--turn'])
}

function cannotCombine(options: readonly string[]): IonError {
  return new IonError('usage', `${options.join(' and ')} cannot be combined`, { hint: 'ion show --help' })
}

/** The canonical events, one per line. What cannot be read is reported on stderr. */
export async function showJson(
  catalog: SessionLookup,
  row: SessionRow,
  options: ShowOptions,
  context: Context,
): Promise<void> {
  const { io, out, err } = context
  const problems = new ProblemSummary()
  const branch = options.branch ?? 'all'
  const { events, at } = shownEvents(catalog, row, { ...options, branch }, context)
  for (const event of at === undefined ? events(problems) : turnWith(events(problems), ({ id }) => id === at)) {
    const line = `${toJsonText(event)}\n`
    // A terminal would interpret these; JSON can escape them.
    out.write(out.isTTY ? line.replace(/[\x7f-\x9f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`) : line)
    await out.drained?.()
  }
  const notes = options.part.kind === 'all' && at === undefined ? archiveNotes(catalog, row, options, context) : []
  for (const line of [...problems.lines(io), ...notes]) err.write(`${line}\n`)
}
