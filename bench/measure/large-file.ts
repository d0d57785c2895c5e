// One very large session: memory stays bounded whatever the size.
import { runBaseline, runNode, type Usage } from '../child.ts'
import { megabytes } from '../format.ts'
import type { BenchContext, Row } from '../types.ts'

export async function largeFile({ program, scratch, corpora }: BenchContext): Promise<Row[]> {
  const { home, bytes } = corpora.get('large')
  const folder = scratch('large')
  const world = { home, ionHome: scratch('large/ion') }
  const ion = (...args: string[]): Promise<Usage> => runNode(folder, [program, ...args], world)
  const split = await runBaseline(folder, 'split', home)
  const indexed = await ion('reindex', '--json')
  const { id } = JSON.parse((await ion('sessions', '--all', '--json')).text) as { id: string }
  const found = await ion('search', 'xyzzyNeedle42', '--json')
  const shown = await ion('show', id, '--last', '20')
  const jsonl = await ion('export', id, '--format', 'jsonl')
  const md = await ion('export', id, '--format', 'md')
  const splitAgain = await runBaseline(folder, 'split', home)
  const splitMs = (split.cpuMs + splitAgain.cpuMs) / 2
  const what = `a session of ${megabytes(bytes)}`
  const detail = ({ cpuMs, wallMs, printed }: Usage): string =>
    `${(cpuMs / 1000).toFixed(1)} s of CPU, ${(wallMs / 1000).toFixed(1)} s; ${megabytes(printed)} out`
  const peak = (name: string, verb: string, result: Usage, goal: number): Row => ({
    id: `peak-${name}`,
    what: `peak memory, ${verb}`,
    unit: 'MB',
    goal,
    value: result.peakMb,
    detail: detail(result),
  })
  return [
    peak('index', `indexing ${what}`, indexed, 110),
    peak('search', `searching it for a word`, found, 110),
    peak('show', `showing its last 20 messages`, shown, 110),
    peak('jsonl', `exporting it as jsonl`, jsonl, 200),
    peak('md', `exporting it as md`, md, 200),
    {
      id: 'export-rate',
      what: 'export as jsonl, to only splitting the file into lines',
      unit: 'x',
      value: jsonl.cpuMs / splitMs,
      detail: `${Math.round(bytes / 1e3 / jsonl.cpuMs)} against ${Math.round(bytes / 1e3 / splitMs)} MB per second of CPU`,
    },
  ]
}
