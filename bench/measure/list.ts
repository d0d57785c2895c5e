// Very many sessions: listing the newest, and finding out that nothing has changed.
import { runFloor, runNode } from '../child.ts'
import { amount, timing } from '../format.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function list({ program, scratch, corpora, rounds, inProcess }: BenchContext): Promise<Row[]> {
  const { home, files } = corpora.get('tiny')
  const folder = scratch('list')
  const world = { home, ionHome: scratch('list/ion') }
  await runNode(folder, [program, 'status', '--json'], world)
  const { ion, floor } = await interleaved(rounds.short, {
    floor: () => runFloor(folder),
    ion: () => runNode(folder, [program, 'sessions', '--all', '--plain'], world),
  })
  const lines = ion[0]!.text.trimEnd().split('\n').length
  const { hot, full, walk, changed } = await inProcess('measureFreshness', world, rounds.checks)
  if (lines < 50 || changed > 0) throw new Error(`the list has ${lines} lines, and ${changed} sessions changed`)
  return [
    {
      id: 'list',
      what: `\`ion sessions\`, newest 50 of ${amount(files)}, to \`node -e 0\``,
      unit: 'x',
      goal: 1.5,
      value: cpuRatio(ion, floor).value,
      detail: ratioDetail(ion, floor),
    },
    {
      id: 'check-hot',
      what: `freshness check before a list, of ${amount(files)} files, p95`,
      unit: 'ms',
      goal: 20,
      value: hot.p95,
      detail: timing(hot),
    },
    {
      id: 'check-full',
      what: `freshness check of all ${amount(files)} files, to listing and looking at them in Node`,
      unit: 'x',
      value: full.p50 / walk.p50,
      detail: `${Math.round(full.p50)} against ${Math.round(walk.p50)} ms, ${full.count} rounds`,
    },
  ]
}
