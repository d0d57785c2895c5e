import { runFloor, runNode, type Usage } from '../child.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function startup({ program, scratch, rounds }: BenchContext): Promise<Row[]> {
  const folder = scratch('startup')
  const { version, help, floor } = await interleaved(rounds.short, {
    floor: () => runFloor(folder),
    version: () => runNode(folder, [program, '--version']),
    help: () => runNode(folder, [program, '--help']),
  })
  const row = (id: string, what: string, runs: readonly Usage[]): Row => ({
    id,
    what: `\`ion ${what}\`, to \`node -e 0\``,
    unit: 'x',
    goal: 1.3,
    value: cpuRatio(runs, floor).value,
    detail: ratioDetail(runs, floor),
  })
  return [row('startup', '--version', version), row('help', '--help', help)]
}
