import { relative } from 'node:path'
import { sessionReader } from '../../catalog/archived-history.ts'
import { eventsIn } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { type SessionChange, sessionChanges } from '../../export/file-changes.ts'
import { pluralize } from '../../platform/format-count.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { isWithin } from '../../platform/project.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { changes } from '../definitions/sessions.ts'
import { diffLines, lineCounts } from '../diff-lines.ts'
import { openPager } from '../pager.ts'
import { oneLine } from '../text.ts'
import { withSession } from '../with-session.ts'
import { existingTurns, parsePart } from './show/part.ts'

export const run: Run<typeof changes> = async ([id], options, context) => {
  const part = parsePart(undefined, options.turn)
  return withSession(context, [id], { remote: false }, async ({ catalog, row }) => {
    const read = sessionReader(catalog, row, { archived: false }, context.io)
    const all = sessionChanges(eventsIn(read()))
    const turns = part.kind === 'turns' ? existingTurns(all.turns, part) : undefined
    const isWanted = ({ turn }: SessionChange): boolean => turn !== null && turn >= turns!.first && turn <= turns!.last
    const found = turns ? all.changes.filter(isWanted) : all.changes
    if (options.json) for (const change of found) context.out.write(`${toJsonText(change)}\n`)
    else if (found.length > 0) await print(row, found, options, context)
    if (found.length === 0) {
      const where = turns ? `in ${turns.first === turns.last ? 'this turn' : 'these turns'}` : 'of this session'
      context.err.write(`no tool call ${where} changed a file, as far as the transcript says\n`)
    }
    return found.length > 0 ? 'ok' : 'failed'
  })
}

async function print(
  row: SessionRow,
  found: readonly SessionChange[],
  { stat, pager: isPaged }: { readonly stat: boolean; readonly pager: boolean },
  context: Context,
): Promise<void> {
  const colours = palette(context.out)
  const files = new Map<string, SessionChange[]>()
  for (const change of found) {
    const path = shortPath(change.path, row)
    files.set(path, [...(files.get(path) ?? []), change])
  }
  const pager = await openPager(context, { off: stat || !isPaged })
  const head = `${colours.strong(oneLine(row.title ?? 'Untitled session'))}${colours.faint(' · from the transcript')}`
  const sum = { added: total(found, 'added'), removed: total(found, 'removed') }
  const lines = [head, `${pluralize(files.size, 'file')} ${lineCounts(sum, colours)}`, '']
  for (const [path, changes] of files) {
    const counts = { added: total(changes, 'added'), removed: total(changes, 'removed') }
    const times = changes.length > 1 ? colours.faint(` (${pluralize(changes.length, 'change')})`) : ''
    lines.push(`${stat ? '' : '── '}${colours.strong(oneLine(path))}  ${lineCounts(counts, colours)}${times}`)
    if (stat) continue
    for (const change of changes) {
      lines.push(colours.faint(`${turnName(change)} · ${kinds[change.kind]} · #${change.event}`))
      if (change.diff !== '') lines.push(...diffLines(change.diff, colours))
      lines.push('')
    }
  }
  await pager.write(`${lines.join('\n').trimEnd()}\n`)
  await pager.end()
}

const kinds = { edit: 'edited', write: 'written as a whole', delete: 'deleted' } as const

/** As `ion show` counts. */
export function turnName({ turn }: SessionChange): string {
  return turn === null ? 'another branch' : `turn ${turn}`
}

function total(changes: readonly SessionChange[], what: 'added' | 'removed'): number {
  return changes.reduce((sum, change) => sum + change[what], 0)
}

/** Relative to the session's folder if it is below that. */
function shortPath(path: string, { cwd }: SessionRow): string {
  return cwd !== null && isWithin(path, cwd) && path !== cwd ? relative(cwd, path) : path
}
