// A task in an encrypted store: how far it is behind the agent, what following costs, restoring, and a start.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { amount, megabytes } from '../format.ts'
import { cpuRatio, median, quantile, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row, World } from '../types.ts'

const SESSION_MB = 10
/** An agent at work: a record of 4 KB every so often. */
const BUSY_MS = 500
const HOUR_S = 3600

export async function replica(context: BenchContext): Promise<Row[]> {
  return [
    await lag(context),
    ...(await cost(context, 'idle', 'nobody writes', null)),
    ...(await cost(context, 'busy', `a record of 4 KB is written every ${BUSY_MS} ms`, BUSY_MS)),
    ...(await restored(context)),
    ...(await start(context)),
  ]
}

async function lag({ inProcess, rounds, scratch }: BenchContext): Promise<Row> {
  const times = await inProcess('measureReplicaLag', worldIn(scratch('replica-lag')), SESSION_MB, rounds.appends)
  return {
    id: 'replica-lag',
    what: `from a write to a session of ${SESSION_MB} MB until it is durable in the store, p95`,
    unit: 'ms',
    goal: 1000,
    value: quantile(times, 0.95),
    detail: `p50 ${Math.round(median(times))} ms, longest ${Math.round(Math.max(...times))} ms; ${times.length} times; a folder as store`,
  }
}

async function cost(
  { inProcess, rounds: { idleSeconds }, scratch }: BenchContext,
  id: string,
  when: string,
  everyMs: number | null,
): Promise<Row[]> {
  const world = worldIn(scratch(`replica-${id}`))
  const { cpuMs, requests, bytes } = await inProcess('measureReplicaCost', world, SESSION_MB, idleSeconds, everyMs)
  const hours = idleSeconds / HOUR_S
  return [
    {
      id: `replica-${id}-cpu`,
      what: `CPU of the process that keeps a replica, while ${when}`,
      unit: '%',
      value: cpuMs / idleSeconds / 10,
      detail: `${Math.round(cpuMs)} ms in ${idleSeconds} s`,
    },
    {
      id: `replica-${id}-bytes`,
      what: `bytes to and from the store in an hour, while ${when}`,
      unit: 'KB',
      value: bytes / hours / 1000,
      detail: `and ${amount(Math.round(requests / hours))} requests; ${amount(bytes)} bytes and ${requests} requests in ${idleSeconds} s`,
    },
  ]
}

async function restored({ inProcess, rounds, scratch }: BenchContext): Promise<Row[]> {
  const sizes = rounds.restoredMb
  const rows: Row[] = []
  for (const size of sizes) {
    const world = worldIn(scratch(`replica-restore-${size}`))
    const { restore, download, bytes } = await inProcess('measureReplicaRestore', world, size, rounds.long)
    rows.push({
      id: `replica-restore-${size}`,
      what: `restoring a session of ${megabytes(bytes)} into an empty home, to getting and decrypting the same objects`,
      unit: 'x',
      value: cpuRatio(restore, download).value,
      detail: ratioDetail(restore, download),
    })
  }
  return rows
}

async function start({ inProcess, rounds, scratch }: BenchContext): Promise<Row[]> {
  const world = worldIn(scratch('replica-start'))
  const { cpuMs, requests } = await inProcess('measureReplicaStart', world, SESSION_MB, rounds.short)
  const what = 'before a task may start that has not changed since it was stored from here'
  return [
    {
      id: 'replica-start-cpu',
      what: `CPU ${what}`,
      unit: 'ms',
      goal: 50,
      value: median(cpuMs),
      detail: `median of ${cpuMs.length}; without starting the process and loading what it needs`,
    },
    {
      id: 'replica-start-requests',
      what: `requests ${what}`,
      unit: 'requests',
      goal: 1,
      value: median(requests),
      detail: 'the lease, on the condition that it is as it was left; the rest is asked when the agent runs',
    },
  ]
}

function worldIn(folder: string): World {
  const world = { home: join(folder, 'home'), ionHome: join(folder, 'ion') }
  for (const made of Object.values(world)) mkdirSync(made)
  return world
}
