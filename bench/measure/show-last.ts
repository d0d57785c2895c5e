// The end of a large session: reading it must not depend on how much is before it.
import { fileURLToPath } from 'node:url'
import { runNode } from '../child.ts'
import { megabytes } from '../format.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

const floorProgram = fileURLToPath(new URL('../last-megabyte.mjs', import.meta.url))

export async function showLast({ program, scratch, corpora, rounds }: BenchContext): Promise<Row[]> {
  const { home, bytes } = corpora.get('large')
  const folder = scratch('show-last')
  const world = { home, ionHome: scratch('show-last/ion') }
  const [session] = (await runNode(folder, [program, 'sessions', '--all', '--json'], world)).text.split('\n')
  const { id, path } = JSON.parse(session!) as { id: string; path: string }
  const { ion, floor } = await interleaved(rounds.short, {
    floor: () => runNode(folder, [floorProgram, path]),
    ion: () => runNode(folder, [program, 'show', id, '--last', '20'], world),
  })
  if (ion.some(({ printed }) => printed === 0)) throw new Error('ion show --last printed nothing')
  return [
    {
      id: 'show-last',
      what: `last 20 messages of a session of ${megabytes(bytes)}, to parsing 40 lines of its last megabyte`,
      unit: 'x',
      goal: 3,
      value: cpuRatio(ion, floor).value,
      detail: ratioDetail(ion, floor),
    },
  ]
}
