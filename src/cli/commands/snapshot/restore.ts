import { resolve } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import { findAmong } from '../../../catalog/find-session.ts'
import { type ExitKind, IonError, isDiskFull, messageOf } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { ionHome } from '../../../platform/home.ts'
import { inHome } from '../../../platform/io.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { writeHint } from '../../../platform/write-hint.ts'
import { damagedSnapshot, restoreSnapshot, type SnapshotOutcome } from '../../../vault/snapshot/restore.ts'
import { verifySnapshot } from '../../../vault/snapshot/verify.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { progressLine } from '../../progress.ts'
import { oneLine } from '../../text.ts'
import { selectSessions } from './inspect.ts'
import type { SnapshotOptions } from './run.ts'
import type { SnapshotFile } from './snapshot-file.ts'

export async function restore(
  { path: file, address }: SnapshotFile,
  ids: readonly string[],
  options: SnapshotOptions,
  context: Context,
): Promise<ExitKind> {
  const { io, out, err } = context
  const verified = await verifySnapshot(file)
  const { header, problems } = verified
  if (!header || problems.length > 0) throw damagedSnapshot(address ?? file, problems)
  const chosen = selectSessions(verified, options)
  const sessions = ids.length > 0 ? ids.map((id) => findAmong(chosen, id, () => notInIt(id))) : chosen
  const to = options.to === undefined ? io : inHome(resolve(io.cwd, options.to), io)
  if (header.home !== io.home) {
    err.write(
      `${palette(err).faint(oneLine(`the home folder was ${header.home}; paths below it are moved to ${io.home}`))}\n`,
    )
  }
  let marked = 0
  const counts = { restored: 0, same: 0, 'would restore': 0, refused: 0, failed: 0 }
  const progress = progressLine(context)
  try {
    const request = {
      ...{ file, verified, sessions: [...new Set(sessions)], to, home: io.home },
      ...{ spool: ionHome(io), dryRun: options.dryRun },
    }
    for await (const outcome of restoreSnapshot(request)) {
      const done = ++counts[outcome.outcome]
      if (outcome.marks) marked++
      progress.clear()
      report(outcome, options, context)
      progress.onProgress({ phase: 'restoring sessions', done, total: sessions.length })
    }
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new IonError('failed', `the sessions cannot be written: ${messageOf(error)}`, {
      cause: error,
      hint: `${writeHint(error, to.home, 'give another folder: --to')}, and run it again; what was restored is kept`,
    })
  } finally {
    progress.clear()
    if (!options.json) out.write(`${summaryOf(counts, marked, options)}\n`)
  }
  if (counts.failed > 0) return 'failed'
  return counts.refused > 0 ? 'refused' : 'ok'
}

function notInIt(reference: string): IonError {
  return new IonError('not-found', `no session in the snapshot matches "${reference}"`, {
    hint: 'ion snapshot list <file>',
  })
}

/** A session that was already there is only counted. */
function report(
  { session, outcome, parts, reason, marks, restoredAs }: SnapshotOutcome,
  options: SnapshotOptions,
  { out, err }: Context,
): void {
  const { agent, id, title } = session
  if (options.json) {
    const more = {
      ...(reason === undefined ? {} : { reason }),
      ...(marks === undefined ? {} : { marks }),
      ...(restoredAs ? { restored_as: restoredAs } : {}),
    }
    out.write(`${toJsonText({ agent, id, title, outcome, ...more, parts })}\n`)
    return
  }
  if (outcome === 'same') return
  const name = `${agents.find((one) => one.id === agent)?.title ?? oneLine(agent)} ${oneLine(id)}`
  const as = restoredAs
    ? ` as ${oneLine(restoredAs.native_id)}, since another session has the id ${oneLine(session.native_id)}`
    : ''
  const what = `${name} (${oneLine(title ?? 'untitled')})${as}`
  if (outcome === 'refused' || outcome === 'failed') err.write(`ion: ${outcome} ${what}: ${plain(reason ?? '')}\n`)
  else out.write(`${outcome} ${what}\n`)
}

function summaryOf(
  counts: Readonly<Record<SnapshotOutcome['outcome'], number>>,
  marked: number,
  { dryRun }: SnapshotOptions,
): string {
  const parts = [
    dryRun
      ? `would restore ${pluralize(counts['would restore'], 'session')}`
      : `restored ${pluralize(counts.restored, 'session')}`,
    ...(counts.same > 0 ? [`${counts.same} already identical`] : []),
    ...(marked > 0 ? [`names, tags, pins or notes of ${pluralize(marked, 'session')}`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} refused`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ]
  return parts.join(', ')
}
