// The first report of a machine, and one with nothing new, beside ccusage, which reads everything each time.
import { rmSync } from 'node:fs'
import { runNode, type Usage } from '../child.ts'
import { megabytes } from '../format.ts'
import { findPeers } from '../peers.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

export async function usage({ program, scratch, corpora, rounds, say }: BenchContext): Promise<Row[]> {
  const { home, bytes, claude, codex } = corpora.get('mixed')
  const folder = scratch('usage')
  const peers = findPeers(say, scratch('peers'))
  const report = (ionHome: string): Promise<Usage> =>
    runNode(folder, [program, 'usage', 'agents', '--json'], { home, ionHome })
  const kept = scratch('usage/kept')
  checkTotals(await report(kept), claude.output_tokens + codex.output_tokens)
  const fresh = scratch('usage/fresh')
  const { first, warm, ccusage } = await interleaved(rounds.long, {
    first: () => {
      rmSync(fresh, { recursive: true, force: true })
      return report(fresh)
    },
    warm: () => report(kept),
    ccusage: async () => peers?.run('ccusage', home),
  })
  const runs = ccusage.filter((run) => run !== undefined)
  if (runs.length === 0) return []
  const row = (id: string, what: string, goal: number, own: readonly Usage[]): Row => ({
    ...{ id, what, unit: 'x', goal, value: cpuRatio(own, runs).value, detail: ratioDetail(own, runs) },
  })
  return [
    row('usage-first', `first usage report of ${megabytes(bytes)}, with the index, to ccusage`, 0.5, first),
    row('usage-warm', 'usage report with nothing new, to ccusage', 0.2, warm),
  ]
}

/** A report that counted something else is not worth measuring. */
function checkTotals({ text }: Usage, output: number): void {
  const total = JSON.parse(text.trimEnd().split('\n').at(-1)!) as { tokens: { output: number } }
  if (total.tokens.output !== output) throw new Error(`${total.tokens.output} of ${output} output tokens`)
}
