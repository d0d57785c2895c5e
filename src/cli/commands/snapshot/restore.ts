import { resolve } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import { findAmong } from '../../../catalog/find-session.ts'
import { type ExitKind, IonError, isDiskFull, messageOf } from '../../../platform/error.ts'
import { ionHome } from '../../../platform/home.ts'
import { inHome } from '../../../platform/io.ts'
import { plain } from '../../../platform/plain-text.ts'
import { damagedSnapshot, type Outcome, restoreSnapshot } from '../../../vault/snapshot/restore.ts'
import { verifySnapshot } from '../../../vault/snapshot/verify.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { progressLine } from '../../progress.ts'
import { shortIds } from '../../short-id.ts'
import { oneLine } from '../../text.ts'
import { chosenSessions } from './inspect.ts'

export async function restore(
  file: string,
  ids: readonly string[],
  options: Options,
  context: Context,
): Promise<ExitKind> {
  const { io, out, err } = context
  const verified = await verifySnapshot(file)
  const { header, problems } = verified
  if (!header || problems.length > 0) throw damagedSnapshot(file, problems)
  const chosen = chosenSessions(verified, options)
  const sessions = ids.length > 0 ? ids.map((id) => findAmong(chosen, id, () => notInIt(id))) : chosen
  const to = typeof options.to === 'string' ? inHome(resolve(io.cwd, options.to), io) : io
  if (header.home !== io.home) {
    err.write(`${palette(err).faint(oneLine(`the home was ${header.home}: paths in it are put below ${io.home}`))}\n`)
  }
  const counts = { restored: 0, same: 0, 'would restore': 0, there: 0, refused: 0, failed: 0 }
  const short = shortIds(sessions.map(({ id }) => id))
  const progress = progressLine(context)
  try {
    const order = {
      ...{ file, verified, sessions: [...new Set(sessions)], to, home: io.home },
      ...{ spool: ionHome(io), dryRun: options.dryRun === true },
    }
    for await (const outcome of restoreSnapshot(order)) {
      const done = ++counts[outcome.outcome]
      progress.clear()
      tell(outcome, short, options, context)
      progress.onProgress({ phase: 'restoring sessions', done, total: sessions.length })
    }
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new IonError('failed', `the sessions cannot be written: ${messageOf(error)}`, {
      cause: error,
      hint: 'make room, and start it again; what was restored stays',
    })
  } finally {
    progress.clear()
    if (!options.json) out.write(`${summaryOf(counts)}\n`)
  }
  if (counts.failed > 0) return 'failed'
  return counts.refused > 0 ? 'refused' : 'ok'
}

function notInIt(reference: string): IonError {
  return new IonError('not-found', `there is no session "${reference}" in the snapshot`, {
    hint: 'ion snapshot list <file>',
  })
}

/** One that was there already is only counted. */
function tell(
  { session, outcome, parts, reason }: Outcome,
  short: ReadonlyMap<string, string>,
  options: Options,
  { out, err }: Context,
): void {
  const { agent, id, title } = session
  if (options.json) {
    out.write(`${JSON.stringify({ agent, id, title, outcome, ...(reason === undefined ? {} : { reason }), parts })}\n`)
    return
  }
  if (outcome === 'same') return
  const name = `${agents.find((one) => one.id === agent)?.title ?? oneLine(agent)} ${short.get(id)}`
  const what = `${name} (${oneLine(title ?? 'untitled')})`
  if (outcome === 'refused' || outcome === 'failed') err.write(`ion: ${outcome} ${what}: ${plain(reason ?? '')}\n`)
  else if (outcome === 'there') out.write(`${what} is there, and would be compared\n`)
  else out.write(`${outcome} ${what}\n`)
}

function summaryOf(counts: Readonly<Record<Outcome['outcome'], number>>): string {
  const told = [
    ...(counts['would restore'] + counts.there > 0
      ? [`would restore ${pluralize(counts['would restore'], 'session')}`, `${counts.there} are there`]
      : [`restored ${pluralize(counts.restored, 'session')}`]),
    ...(counts.same > 0 ? [`${counts.same} ${counts.same === 1 ? 'was' : 'were'} there already`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} refused`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ]
  return told.join(', ')
}
