// The archive: one event to disk, the first capture of everything, nothing new, compressed logs, and restoring.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runBaseline, runNode, type Usage } from '../child.ts'
import { amount, megabytes } from '../format.ts'
import { cpuRatio, interleaved, median, quantile, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row, World } from '../types.ts'

export async function archive(context: BenchContext): Promise<Row[]> {
  return [await durableAppend(context), ...(await capture(context)), ...(await restored(context))]
}

async function durableAppend({ inProcess, scratch, rounds }: BenchContext): Promise<Row> {
  const home = scratch('archive-append')
  const world = { home, ionHome: join(home, 'ion') }
  mkdirSync(world.ionHome)
  const { log, bare } = await inProcess('measureDurableAppend', world, rounds.appends)
  const ms = (times: readonly number[]): string =>
    `${median(times).toFixed(2)} ms (p95 ${quantile(times, 0.95).toFixed(2)})`
  return {
    id: 'archive-append',
    what: 'an event of 1.6 KB into an archived log and on disk, to a bare write and fdatasync',
    unit: 'x',
    goal: 1.5,
    value: median(log) / median(bare),
    detail: `${ms(log)} against ${ms(bare)}, medians of ${log.length} in turn`,
  }
}

async function capture({ program, inProcess, scratch, corpora, rounds }: BenchContext): Promise<Row[]> {
  const { home, bytes, files } = corpora.get('mixed')
  const folder = scratch('archive')
  const fresh = (name: string): World => {
    const world = { home, ionHome: join(folder, name) }
    rmSync(world.ionHome, { recursive: true, force: true })
    return world
  }
  // Brings the files into the system's cache for all of them.
  await runBaseline(folder, 'split', home)
  const { parse, whole, read, logs } = await interleaved(rounds.long, {
    parse: () => runBaseline(folder, 'parse', home),
    whole: () => runNode(folder, [program, 'capture', '--all'], fresh('whole')),
    read: () => inProcess('measureLogs', fresh('read'), 'read'),
    logs: () => inProcess('measureLogs', fresh('logs'), 'archive'),
  })
  const events = logs[0]!.events
  if (read[0]!.events !== events) throw new Error(`${events} of ${read[0]!.events} events archived`)
  rmSync(join(folder, 'whole'), { recursive: true })
  const world = { home, ionHome: join(folder, 'logs') }
  const warm = await inProcess('measureArchived', world)
  const compressed = await inProcess('compressAll', world)
  const cold = await inProcess('measureArchived', world)
  if (cold.events !== events || warm.events !== events) throw new Error('compressed logs read differently')
  await runNode(folder, [program, 'capture', '--all'], world)
  await inProcess('compressAll', world)
  const again = await nothingNew(program, folder, world, files)
  const floor = median(parse.map(({ cpuMs }) => cpuMs))
  const ms = (cpuMs: number): string => `${amount(Math.round(cpuMs))} ms of CPU`
  const toParsing = (id: string, what: string, { cpuMs }: Usage, detail: string): Row => ({
    id,
    what,
    unit: 'x',
    value: cpuMs / floor,
    detail,
  })
  return [
    {
      id: 'archive-all',
      what: `first ion capture --all of ${megabytes(bytes)}, ${amount(events)} events: index, logs and exact copies, to splitting and parsing the files`,
      unit: 'x',
      goal: 1.5,
      value: cpuRatio(whole, parse).value,
      detail: ratioDetail(whole, parse),
    },
    {
      id: 'archive-logs',
      what: 'of that, only the logs',
      unit: 'x',
      value: cpuRatio(logs, parse).value,
      detail: ratioDetail(logs, parse),
    },
    {
      id: 'archive-read',
      what: 'of that, only reading them as events',
      unit: 'x',
      value: cpuRatio(read, parse).value,
      detail: ratioDetail(read, parse),
    },
    toParsing(
      'archive-again',
      `ion capture --all of ${amount(files)} sessions with nothing new`,
      again,
      `${ms(again.cpuMs)}; no body was read`,
    ),
    {
      id: 'archive-cold-size',
      what: 'size of compressed logs, to the plain ones',
      unit: '%',
      value: (cold.bytes / warm.bytes) * 100,
      detail: `${megabytes(warm.bytes)} to ${megabytes(cold.bytes)}, ${megabytes((warm.bytes / compressed.cpuMs) * 1000)} per second of CPU, checking included`,
    },
    {
      id: 'archive-cold-read',
      what: 'reading compressed logs, to reading the plain ones',
      unit: 'x',
      value: cold.cpuMs / warm.cpuMs,
      detail: `${ms(cold.cpuMs)} against ${ms(warm.cpuMs)}`,
    },
  ]
}

async function restored({ inProcess, scratch, corpora, rounds }: BenchContext): Promise<Row[]> {
  const { home } = corpora.get('mixed')
  const row = async (id: string, which: string, updated_at: string): Promise<Row> => {
    const folder = scratch(id)
    const world = { home, ionHome: join(folder, 'ion') }
    const { restore, copy, bytes } = await inProcess('measureRestore', world, folder, updated_at, rounds.short)
    const speed = (times: readonly number[]): string => `${megabytes((bytes / median(times)) * 1000)}/s`
    return {
      id,
      what: `restoring a session of ${megabytes(bytes)} ${which}, verified and on disk, to the speed of a file copy (more is better)`,
      unit: 'x',
      value: median(copy) / median(restore),
      detail: `${speed(restore)} against ${speed(copy)}, medians of ${restore.length} in turn; the goal is at least 0.5`,
    }
  }
  return [
    await row('archive-restore', 'from this week', new Date().toISOString()),
    await row('archive-restore-packed', 'that is older, and compressed', '2020-01-01T00:00:00.000Z'),
  ]
}

/** The second of two: the first records what was compressed since. */
async function nothingNew(program: string, folder: string, world: World, files: number): Promise<Usage> {
  const capture = (): Promise<Usage> => runNode(folder, [program, 'capture', '--all', '--json'], world)
  await capture()
  const again = await capture()
  const lines = again.text.trim().split('\n')
  const unchanged = lines.filter((line) => (JSON.parse(line) as { unchanged?: boolean }).unchanged === true)
  if (unchanged.length !== files) throw new Error(`${unchanged.length} of ${files} sessions were left alone`)
  return again
}
