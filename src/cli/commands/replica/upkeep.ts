import { type ExitKind, IonError } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { readLease, requireSameTenure } from '../../../replica/lease.ts'
import { type Pruned, pruneLog } from '../../../replica/log/prune-log.ts'
import type { LogCheck } from '../../../replica/log/verify-log.ts'
import type { OpenStore, ReplicaSettings } from '../../../replica/open.ts'
import { listSnapshots, SNAPSHOTS, verifySnapshot } from '../../../replica/snapshot-store.ts'
import { taskLogs, verifyTask } from '../../../replica/stored-tasks.ts'
import type { Context } from '../../command.ts'
import type { ReplicaCommandOptions } from './run.ts'

/** Reads everything in the store back. */
export async function verify(
  open: OpenStore,
  { json }: Pick<ReplicaCommandOptions, 'json'>,
  { out, err }: Context,
): Promise<ExitKind> {
  const total = { tasks: 0, snapshots: 0, records: 0, pieces: 0, bytes: 0, problems: 0 }
  const add = (folder: string, check: LogCheck): void => {
    if (json) out.write(`${toJsonText({ folder, ...check })}\n`)
    else for (const problem of check.problems) err.write(`ion: ${plain(problem)}\n`)
    total.problems += check.problems.length
    for (const key of ['records', 'pieces', 'bytes'] as const) total[key] += check[key]
  }
  for await (const log of taskLogs(open)) {
    add(log.folder, await verifyTask(log))
    total.tasks++
  }
  for (const snapshot of await listSnapshots(open)) {
    add(`${SNAPSHOTS}${snapshot.name}`, await verifySnapshot(open, snapshot))
    total.snapshots++
  }
  const read = [
    pluralize(total.tasks, 'task'),
    ...(total.snapshots > 0 ? [pluralize(total.snapshots, 'snapshot')] : []),
    pluralize(total.records + total.pieces, 'object'),
    bytes(total.bytes),
  ].join(', ')
  if (total.problems === 0) {
    if (!json) out.write(`${open.store.address} is intact: ${read}\n`)
    return 'ok'
  }
  throw new IonError('failed', `${open.store.address} is damaged: ${pluralize(total.problems, 'problem')} in ${read}`, {
    hint: 'ion replica restore <agent> --at <time> restores a state from before the damage; the next start of a task stores it again',
  })
}

/** Removes the states that are older than asked for. */
export async function prune(
  open: () => Promise<OpenStore>,
  settings: ReplicaSettings,
  { days: given, dryRun, json }: Pick<ReplicaCommandOptions, 'days' | 'dryRun' | 'json'>,
  { io, out }: Context,
): Promise<ExitKind> {
  const days = parseDays(given) ?? settings.days
  const opened = await open()
  let total: Pruned = { records: 0, pieces: 0, bytes: 0 }
  for await (const log of taskLogs(opened)) {
    const lease = await readLease(log)
    if (!lease) continue
    const confirm = (): Promise<void> => requireSameTenure(log, lease.document)
    const options = { now: io.now(), confirm, dryRun }
    const { records, pieces, bytes: removed } = await pruneLog(log, lease.document, { days }, options)
    total = { records: total.records + records, pieces: total.pieces + pieces, bytes: total.bytes + removed }
  }
  const { store } = opened
  if (json) out.write(`${toJsonText({ address: store.address, days, dry_run: dryRun, ...total })}\n`)
  else {
    const what = `${pluralize(total.records + total.pieces, 'object')} (${bytes(total.bytes)})`
    out.write(
      `${dryRun ? 'would remove' : 'removed'} ${what} from ${store.address}, keeping ${pluralize(days, 'day')}\n`,
    )
  }
  return 'ok'
}

function parseDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new IonError('usage', `invalid --days "${text}"`, { hint: 'a whole number of days, such as --days 7' })
}
