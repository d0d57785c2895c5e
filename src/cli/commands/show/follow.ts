import type { SessionLookup } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { isProblem } from '../../../events/item.ts'
import type { IonEvent } from '../../../events/schema.ts'
import { SessionFollower } from '../../../live/session-follower.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { ProblemSummary, problemLine } from '../../problem-summary.ts'
import { type Hidden, TranscriptWriter } from '../../transcript.ts'
import type { Part } from './part.ts'
import { transcriptOptions } from './show-session.ts'
import { type ShowOptions, shownEvents } from './shown-events.ts'

/** Prints the part that was asked for, by default the last messages, and then what the agent writes, until Ctrl-C. */
export async function followSession(
  catalog: SessionLookup,
  row: SessionRow,
  options: ShowOptions,
  context: Context,
): Promise<void> {
  const { io, out, err } = context
  const part: Part = options.part.kind === 'all' ? { kind: 'last', messages: FOLLOWED_MESSAGES } : options.part
  const hidden: Hidden = { thinking: 0, system: 0, native: 0 }
  const writer = new TranscriptWriter(await transcriptOptions(catalog, row, options, context), hidden)
  const known = new Set<string>()
  const print = (event: IonEvent): void => {
    if (known.has(event.id)) return
    known.add(event.id)
    for (const line of writer.add(event)) out.write(`${line}\n`)
  }
  const note = (line: string): void => err.write(`${palette(err).faint(line)}\n`)
  const located = catalog.locate(row)
  const problems = new ProblemSummary()
  let last: string | undefined
  for (const event of shownEvents(catalog, row, { ...options, part }, context).events(problems)) {
    print(event)
    last = event.id
  }
  for (const line of problems.lines(io)) note(line)
  const follower = new SessionFollower(located.reader, io, 'conversation')
  // The first read gives all events again; what follows the last one that was printed was written since.
  let isNew = last === undefined
  await untilInterrupted(() => {
    for (const item of follower.read(located.head).items) {
      if (isProblem(item)) {
        // A session that is read again as a whole gives them again.
        const key = JSON.stringify(item)
        if (isNew && !known.has(key)) note(problemLine(item, io))
        known.add(key)
        continue
      }
      if (isNew) print(item.event)
      else known.add(item.event.id)
      isNew ||= item.event.id === last
    }
    isNew = true
  })
  follower.close()
  for (const line of writer.end()) out.write(`${line}\n`)
}

const FOLLOWED_MESSAGES = 10
const LOOK_MS = 300

/** Looks from time to time until Ctrl-C or the end of the output. */
function untilInterrupted(look: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearInterval(timer)
      process.off('SIGINT', stop).off('SIGTERM', stop)
      process.stdout.off('close', stop)
      resolve()
    }
    const timer = setInterval(() => {
      try {
        look()
      } catch (error) {
        stop()
        reject(error)
      }
    }, LOOK_MS)
    process.on('SIGINT', stop).on('SIGTERM', stop)
    process.stdout.on('close', stop)
    look()
  })
}
