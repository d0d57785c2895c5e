// The first index of a machine, from nothing, against reading and parsing the same files.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runBaseline, runNode, type Usage } from '../child.ts'
import { amount, megabytes } from '../format.ts'
import { findPeers } from '../peers.ts'
import { cpuRatio, interleaved, median, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function index(context: BenchContext): Promise<Row[]> {
  return [...(await mixedIndex(context)), ...(await tinyIndex(context))]
}

async function mixedIndex({ program, scratch, corpora, rounds, say }: BenchContext): Promise<Row[]> {
  const { home, bytes, files } = corpora.get('mixed')
  const folder = scratch('index')
  const peers = findPeers(say, scratch('peers'))
  // Brings the files into the system's cache for all of them.
  const split = await runBaseline(folder, 'split', home)
  const fresh = (name: string, ...args: string[]): Promise<Usage> => {
    const world = { home, ionHome: join(folder, name) }
    rmSync(world.ionHome, { recursive: true, force: true })
    return runNode(folder, [program, ...args], world)
  }
  const { parse, full, ccusage } = await interleaved(rounds.long, {
    parse: () => runBaseline(folder, 'parse', home),
    full: () => fresh('full', 'reindex', '--json'),
    ccusage: async () => peers?.run('ccusage', home),
  })
  const { sessions } = JSON.parse(full[0]!.text) as { sessions: number }
  if (sessions !== files) throw new Error(`${sessions} of ${files} sessions`)
  const size = indexSize(join(folder, 'full'))
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
    ...toPeer('index-ccusage', `the same, to ccusage`, full, ccusage),
    {
      id: 'index-size',
      what: 'size of the index, to that of the data',
      unit: '%',
      goal: 1,
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

/** Very many small sessions: the cost of each file and each row. */
async function tinyIndex({ program, scratch, corpora, rounds, say }: BenchContext): Promise<Row[]> {
  const { home, bytes, files } = corpora.get('tiny')
  const folder = scratch('index-tiny')
  const peers = findPeers(say, scratch('peers'))
  const ionHome = join(folder, 'ion')
  const { ion, parse, tokscale } = await interleaved(rounds.long, {
    ion: () => {
      rmSync(ionHome, { recursive: true, force: true })
      return runNode(folder, [program, 'status', '--json'], { home, ionHome })
    },
    parse: () => runBaseline(folder, 'parse', home),
    tokscale: async () => peers?.run('tokscale', home),
  })
  const what = `first index of ${amount(files)} small sessions`
  const size = indexSize(ionHome)
  return [
    {
      id: 'index-tiny',
      what: `${what}, to parsing every line`,
      unit: 'x',
      value: cpuRatio(ion, parse).value,
      detail: `${ratioDetail(ion, parse)}; peak ${Math.round(ion[0]!.peakMb)} MB`,
    },
    ...toPeer('index-tokscale', `${what}, to tokscale`, ion, tokscale, 1),
    {
      id: 'index-tiny-size',
      what: `size of the index of ${amount(files)} small sessions, to that of the data`,
      unit: 'x',
      goal: 0.4,
      value: size / bytes,
      detail: `${megabytes(size)} for ${megabytes(bytes)}`,
    },
  ]
}

type Cpu = { readonly cpuMs: number }

/** No row without the peer. */
function toPeer(
  id: string,
  what: string,
  own: readonly Cpu[],
  peer: readonly (Cpu | undefined)[],
  goal?: number,
): Row[] {
  const runs = peer.filter((run) => run !== undefined)
  if (runs.length === 0) return []
  const limit = goal === undefined ? {} : { goal }
  return [{ id, what, unit: 'x', ...limit, value: cpuRatio(own, runs).value, detail: ratioDetail(own, runs) }]
}

function indexSize(ionHome: string): number {
  const index = readdirSync(ionHome).find((name) => /^catalog(\.\d+)?\.db$/.test(name))
  return statSync(join(ionHome, index!)).size
}
