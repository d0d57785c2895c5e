import { runFloor, runNode } from '../child.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function startup({ program, scratch, rounds }: BenchContext): Promise<Row[]> {
  const folder = scratch('startup')
  const { ion, floor } = await interleaved(rounds.short, {
    floor: () => runFloor(folder),
    ion: () => runNode(folder, [program, '--version']),
  })
  return [
    {
      id: 'startup',
      what: '`ion --version`, to `node -e 0`',
      unit: 'x',
      goal: 1.3,
      value: cpuRatio(ion, floor).value,
      detail: ratioDetail(ion, floor),
    },
  ]
}
