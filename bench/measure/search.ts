// Searches over everything: as a command, against ripgrep over the same files, and within one process.
import { runNode } from '../child.ts'
import { vocabulary } from '../corpus/vocabulary.ts'
import { timing } from '../format.ts'
import { runRipgrep } from '../ripgrep.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'
import { prepared } from './prepared.ts'

const NEEDLE = 'xyzzyNeedle42'
/** Nobody ever wrote it. */
const ABSENT = 'qqzxnowhere'

/** The generator draws words by Zipf's law: the earlier in the list, the more frequent. */
const queries: Record<string, string[][]> = {
  'a common word': take(40, (i) => [vocabulary[i]!]),
  'two words': take(40, (i) => [vocabulary[40 + i * 7]!, vocabulary[60 + i * 11]!]),
  'a phrase of two words': take(40, (i) => [`${vocabulary[i]} ${vocabulary[(i * 3 + 1) % 40]}`]),
}

export async function search(context: BenchContext): Promise<Row[]> {
  const { world, corpus } = await prepared(context)
  const { counts, timings } = await context.inProcess('measureSearch', world, queries, context.rounds.searches)
  const expected = corpus.claude.output_tokens + corpus.codex.output_tokens
  if (counts.outputTokens !== expected) {
    throw new Error(`the index has ${counts.outputTokens} output tokens, the corpus ${expected}`)
  }
  return [
    ...(await againstRipgrep(context)),
    ...Object.keys(queries).map((name, number): Row => {
      const times = timings[name]!
      return {
        id: `search-newest-${number + 1}`,
        what: `search, the newest 20 sessions with ${name}, p95`,
        unit: 'ms',
        value: times.p95,
        detail: `${timing(times)}; ${times.hits} hits of ${counts.sessions.toLocaleString('en')} sessions`,
      }
    }),
  ]
}

/** A rare word and one that does not exist: all bytes are looked at. */
async function againstRipgrep(context: BenchContext): Promise<Row[]> {
  const { world, corpus } = await prepared(context)
  if (!runRipgrep(NEEDLE, corpus.home)) {
    context.say('no ripgrep (rg) here: search is not compared with it')
    return []
  }
  const rows: Row[] = []
  for (const [id, what, word] of [
    ['search-rare', 'a rare word', NEEDLE],
    ['search-absent', 'a word that is nowhere', ABSENT],
  ] as const) {
    const args = [context.program, 'search', word, '--limit', '0', '--json']
    const { ion, rg } = await interleaved(context.rounds.searches * 2, {
      // Nothing found is exit code 1.
      ion: () => runNode(context.scratch('search'), args, world, [0, 1]),
      rg: async () => runRipgrep(word, corpus.home)!,
    })
    const hits = ion[0]!.text.split('\n').filter(Boolean).length
    if (hits !== rg[0]!.files)
      throw new Error(`${word}: ${hits} sessions, but ripgrep finds it in ${rg[0]!.files} files`)
    rows.push({
      id,
      what: `\`ion search\`, ${what} in all text, to ripgrep`,
      unit: 'x',
      goal: 1.5,
      value: cpuRatio(ion, rg).value,
      detail: `${ratioDetail(ion, rg)}; ${hits} sessions`,
    })
  }
  return rows
}

function take<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
