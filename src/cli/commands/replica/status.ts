import type { ExitKind } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { localTime } from '../../../platform/local-time.ts'
import { readLocalRecord } from '../../../replica/local-record.ts'
import type { OpenStore } from '../../../replica/open.ts'
import { listSnapshots } from '../../../replica/snapshot-store.ts'
import { type CurrentStatus, currentReplica } from '../../../replica/status.ts'
import { describeTask, type StoredTask, taskLogs } from '../../../replica/stored-tasks.ts'
import type { Task } from '../../../run/task.ts'
import { knownTasks } from '../../../run/tasks.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { replicaText } from '../../replica-text.ts'
import { type Column, table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { ago, oneLine } from '../../text.ts'

/** A task in the store, and what this home knows of it. */
type Row = StoredTask & { readonly store_id: string; readonly here: (CurrentStatus & HourlyUse) | null }

interface HourlyUse {
  readonly requests_per_hour: number
  readonly bytes_per_hour: number
}

export async function status(
  open: OpenStore,
  { json }: { readonly json: boolean },
  context: Context,
): Promise<ExitKind> {
  const { io, out, err } = context
  const rows: Row[] = []
  const tasks = [...knownTasks(io)].map(({ task }) => task)
  for await (const log of taskLogs(open)) {
    const stored = await describeTask(log, io.now())
    // Not by its project: another home may have been the last one to store it.
    const here = tasks.find(({ folder }) => readLocalRecord(folder, open.store.address, open.id)?.folder === log.folder)
    rows.push({
      ...stored,
      // What is damaged there does not say of which task it is.
      ...(here && stored.agent === null ? { agent: here.agent, task: here.name, project: here.project } : {}),
      store_id: open.id,
      here: here ? statusHere(here, open, io.now()) : null,
    })
  }
  const isDamaged = rows.some(({ problem }) => problem !== null)
  if (json) {
    for (const row of rows) out.write(`${toJsonText(row)}\n`)
    return isDamaged ? 'failed' : 'ok'
  }
  const snapshots = (await listSnapshots(open)).length
  if (snapshots > 0) {
    const also = `${open.store.address} also has ${pluralize(snapshots, 'snapshot')}: ion snapshot list ${open.store.address}`
    err.write(`${palette(err).faint(also)}\n`)
  }
  if (rows.length === 0) {
    err.write(`no task in ${open.store.address} yet: ion run <agent> "what to do" --replica ${open.store.address}\n`)
    return 'ok'
  }
  const colours = palette(out)
  const columns: Column<Row>[] = [
    { title: 'agent', value: (row) => oneLine(row.agent ?? '-'), paint: colours.accent },
    { title: 'task', value: (row) => oneLine(row.task ?? '-'), shrinkTo: 8 },
    { title: 'lease', value: leaseText, shrinkTo: 24 },
    { title: 'stored', value: (row) => (row.last_stored ? ago(row.last_stored, io.now()) : '-'), align: 'right' },
    { title: 'size', value: (row) => bytes(row.bytes), align: 'right' },
    { title: 'back to', value: (row) => (row.restorable_from ? localTime(row.restorable_from) : '-') },
    { title: 'project', value: (row) => oneLine(row.project === null ? '-' : tilde(row.project, io)), shrinkTo: 12 },
  ]
  out.write(`${table(columns, rows, outputWidth(context), colours).join('\n')}\n`)
  err.write(`${palette(err).faint(`id of the store: ${open.id}`)}\n`)
  for (const { agent, task, here, problem } of rows) {
    const label = oneLine(`${agent ?? '-'} ${task ?? '-'}`)
    if (here) out.write(`${label} here: ${replicaText(here, io.now())}; ${useText(here)}\n`)
    if (problem !== null) err.write(`ion: ${label}: ${oneLine(problem)}\n`)
  }
  return isDamaged ? 'failed' : 'ok'
}

function leaseText({ lease, holder, held_since }: Row): string {
  if (lease === 'free' || lease === 'damaged') return lease
  return oneLine(`${holder} since ${localTime(held_since!)}`)
}

function useText({
  requests,
  bytes_sent,
  requests_per_hour,
  bytes_per_hour,
  since,
}: CurrentStatus & HourlyUse): string {
  const perHour = `${pluralize(requests_per_hour, 'request')} and ${bytes(bytes_per_hour)} per hour`
  return `${pluralize(requests, 'request')} and ${bytes(bytes_sent)} sent since ${localTime(since)}, ${perHour}`
}

function statusHere(task: Task, { store }: OpenStore, now: Date): Row['here'] {
  const found = currentReplica(task.folder)
  if (found?.address !== store.address) return null
  const until = found.is_running ? now.getTime() : Date.parse(found.last_stored ?? found.since)
  // A start sends more than the minutes after it: within the first hour, what was sent so far.
  const hours = Math.max(1, (until - Date.parse(found.since)) / HOUR_MS)
  return {
    ...found,
    requests_per_hour: Math.round(found.requests / hours),
    bytes_per_hour: Math.round(found.bytes_sent / hours),
  }
}

const HOUR_MS = 3600_000
