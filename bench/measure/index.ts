// The first index of a machine, from nothing, against reading and parsing the same files.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runBaseline, runNode, type Usage } from '../child.ts'
import { megabytes } from '../format.ts'
import { cpuRatio, interleaved, median, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function index({ program, scratch, corpora, rounds }: BenchContext): Promise<Row[]> {
  const { home, bytes, files } = corpora.get('mixed')
  const folder = scratch('index')
  // Brings the files into the system's cache for all of them.
  const split = await runBaseline(folder, 'split', home)
  const fresh = (name: string, ...args: string[]): Promise<Usage> => {
    const world = { home, ionHome: join(folder, name) }
    rmSync(world.ionHome, { recursive: true, force: true })
    return runNode(folder, [program, ...args], world)
  }
  const { parse, full } = await interleaved(rounds.long, {
    parse: () => runBaseline(folder, 'parse', home),
    full: () => fresh('full', 'reindex', '--json'),
  })
  const { sessions } = JSON.parse(full[0]!.text) as { sessions: number }
  if (sessions !== files) throw new Error(`${sessions} of ${files} sessions`)
  const index = readdirSync(join(folder, 'full')).find((name) => /^catalog(\.\d+)?\.db$/.test(name))
  const size = statSync(join(folder, 'full', index!)).size
  const seconds = (results: readonly Usage[]): string => (median(results.map(({ wallMs }) => wallMs)) / 1000).toFixed(1)
  return [
    {
      id: 'index',
      what: `first index of ${megabytes(bytes)}, to parsing every line`,
      unit: 'x',
      goal: 0.3,
      value: cpuRatio(full, parse).value,
      detail: `${ratioDetail(full, parse)}; ${seconds(full)} s, peak ${Math.round(full[0]!.peakMb)} MB`,
    },
    {
      id: 'index-size',
      what: 'size of the index, to that of the data',
      unit: '%',
      goal: 8,
      value: (size / bytes) * 100,
      detail: `${megabytes(size)} for ${sessions.toLocaleString('en')} sessions`,
    },
    {
      id: 'split',
      what: 'only splitting into lines, to parsing every line',
      unit: 'x',
      value: split.cpuMs / median(parse.map(({ cpuMs }) => cpuMs)),
      detail: 'for comparison: what no reader can be faster than',
    },
  ]
}
