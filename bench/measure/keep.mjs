// The archive: an event onto the disk, all sessions for the first time, nothing new, and logs that were compressed.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runBaseline, runNode } from '../child.mjs'
import { cpuRatio, interleaved, median, quantile, ratioDetail } from '../statistics.mjs'
import { amount, megabytes } from '../words.mjs'

export async function keep(context) {
  return [await durableAppend(context), ...(await capture(context)), ...(await restored(context))]
}

async function durableAppend({ inProcess, scratch, rounds }) {
  const home = scratch('keep-append')
  const world = { home, ionHome: join(home, 'ion') }
  mkdirSync(world.ionHome)
  const { log, bare } = await inProcess('measureDurableAppend', world, rounds.appends)
  const ms = (times) => `${median(times).toFixed(2)} ms (p95 ${quantile(times, 0.95).toFixed(2)})`
  return {
    id: 'keep-append',
    what: 'an event of 1.6 KB into an archived log and onto the disk, to a bare write and fdatasync',
    unit: 'x',
    goal: 1.5,
    value: median(log) / median(bare),
    detail: `${ms(log)} against ${ms(bare)}, medians of ${log.length} in turn`,
  }
}

async function capture({ program, inProcess, scratch, corpora, rounds }) {
  const { home, bytes, files } = corpora.get('mixed')
  const folder = scratch('keep')
  const fresh = (name) => {
    const world = { home, ionHome: join(folder, name) }
    rmSync(world.ionHome, { recursive: true, force: true })
    return world
  }
  // Brings the files into memory, so that no one is the first.
  await runBaseline(folder, 'split', home)
  const { parse, read, logs } = await interleaved(rounds.long, {
    parse: () => runBaseline(folder, 'parse', home),
    read: () => inProcess('measureLogs', fresh('read'), 'read'),
    logs: () => inProcess('measureLogs', fresh('logs'), 'archive'),
  })
  if (read[0].events !== logs[0].events) throw new Error(`${logs[0].events} of ${read[0].events} events archived`)
  const whole = await runNode(folder, [program, 'capture', '--all'], fresh('whole'))
  rmSync(join(folder, 'whole'), { recursive: true })
  const world = { home, ionHome: join(folder, 'logs') }
  const warm = await inProcess('measureArchived', world)
  const compressed = await inProcess('compressAll', world)
  const cold = await inProcess('measureArchived', world)
  if (cold.events !== logs[0].events || warm.events !== cold.events) throw new Error('compressed logs read otherwise')
  const again = await nothingNew({ program, folder, world, files })
  const floor = median(parse.map(({ cpuMs }) => cpuMs))
  const ms = (cpuMs) => `${amount(Math.round(cpuMs))} ms of CPU`
  const toParsing = (id, what, { cpuMs }, detail) => ({ id, what, unit: 'x', value: cpuMs / floor, detail })
  return [
    {
      id: 'keep-logs',
      what: `first archive of ${megabytes(bytes)}, ${amount(logs[0].events)} events, to splitting and parsing the files`,
      unit: 'x',
      goal: 1.5,
      value: cpuRatio(logs, parse).value,
      detail: ratioDetail(logs, parse),
    },
    {
      id: 'keep-read',
      what: 'of that, only reading them as events',
      unit: 'x',
      value: cpuRatio(read, parse).value,
      detail: ratioDetail(read, parse),
    },
    toParsing(
      'keep-all',
      'the whole of a first ion capture --all: catalogue, logs, exact copies, the first old logs compressed',
      whole,
      ms(whole.cpuMs),
    ),
    toParsing(
      'keep-again',
      `ion capture --all of ${amount(files)} sessions with nothing new`,
      again,
      `${ms(again.cpuMs)}; no body was read`,
    ),
    {
      id: 'keep-cold-size',
      what: 'size of compressed logs, to the plain ones',
      unit: '%',
      value: (cold.bytes / warm.bytes) * 100,
      detail: `${megabytes(warm.bytes)} to ${megabytes(cold.bytes)}, ${megabytes((warm.bytes / compressed.cpuMs) * 1000)} per second of CPU, checking included`,
    },
    {
      id: 'keep-cold-read',
      what: 'reading compressed logs, to reading the plain ones',
      unit: 'x',
      value: cold.cpuMs / warm.cpuMs,
      detail: `${ms(cold.cpuMs)} against ${ms(warm.cpuMs)}`,
    },
  ]
}

async function restored({ inProcess, scratch, corpora, rounds }) {
  const { home } = corpora.get('mixed')
  const row = async (id, which, updated_at) => {
    const folder = scratch(id)
    const world = { home, ionHome: join(folder, 'ion') }
    const { restore, copy, bytes } = await inProcess('measureRestore', world, folder, updated_at, rounds.short)
    const speed = (times) => `${megabytes((bytes / median(times)) * 1000)}/s`
    return {
      id,
      what: `putting back a session of ${megabytes(bytes)} ${which}, checked and onto the disk, to the speed of a file copy (more is better)`,
      unit: 'x',
      value: median(copy) / median(restore),
      detail: `${speed(restore)} against ${speed(copy)}, medians of ${restore.length} in turn; the goal is at least 0.5`,
    }
  }
  return [
    await row('keep-restore', 'of this week', new Date().toISOString()),
    await row('keep-restore-packed', 'that is older, and packed', new Date(0).toISOString()),
  ]
}

/** The second of two: the first takes note of what was compressed since, and makes the exact copies. */
async function nothingNew({ program, folder, world, files }) {
  const capture = () => runNode(folder, [program, 'capture', '--all', '--json'], world)
  await capture()
  const again = await capture()
  const lines = again.text.trim().split('\n')
  const unchanged = lines.filter((line) => JSON.parse(line).unchanged === true)
  if (unchanged.length !== files) throw new Error(`${unchanged.length} of ${files} sessions were left alone`)
  return again
}
