// Searches in one process, over everything.
import { vocabulary } from '../corpus/vocabulary.ts'
import { timing } from '../format.ts'
import type { BenchContext, Row } from '../types.ts'
import { prepared } from './prepared.ts'

/** The generator draws words by Zipf's law: the earlier in the list, the more frequent. */
const queries: Record<string, string[][]> = {
  'a rare word': take(40, (i) => [vocabulary[15_000 + i * 301]!]),
  'a common word': take(40, (i) => [vocabulary[i]!]),
  'two words': take(40, (i) => [vocabulary[40 + i * 7]!, vocabulary[60 + i * 11]!]),
  'a phrase of two words': take(40, (i) => [`${vocabulary[i]} ${vocabulary[(i * 3 + 1) % 40]}`]),
  'a word in a few places': [['xyzzyNeedle42']],
}

export async function search(context: BenchContext): Promise<Row[]> {
  const { world, corpus } = await prepared(context)
  const { counts, timings } = await context.inProcess('measureSearch', world, queries, context.rounds.searches)
  const expected = corpus.claude.output_tokens + corpus.codex.output_tokens
  if (counts.outputTokens !== expected) {
    throw new Error(`the index has ${counts.outputTokens} output tokens, the corpus ${expected}`)
  }
  const where = `${counts.passages.toLocaleString('en')} passages of ${counts.sessions.toLocaleString('en')} sessions`
  const row =
    (order: 'newest' | 'rank', label: string, goal: number) =>
    (name: string, number: number): Row => {
      const times = timings[order][name]!
      return {
        id: `search-${order}-${number + 1}`,
        what: `search, ${label}: ${name}, p95`,
        unit: 'ms',
        goal,
        value: times.p95,
        detail: `${timing(times)}; ${number === 0 ? `${where}; ` : ''}${times.hits} hits`,
      }
    }
  return [
    ...Object.keys(queries).map(row('newest', 'newest first', 10)),
    ...Object.keys(queries).map(row('rank', 'best first', 50)),
  ]
}

function take<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
