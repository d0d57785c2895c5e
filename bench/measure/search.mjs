// Searches in one process, over everything.
import { vocabulary } from '../corpus/vocabulary.mjs'
import { timing } from '../words.mjs'
import { prepared } from './prepared.mjs'

/** The generator draws words by Zipf's law: a word's place in the list tells how frequent it is. */
const queries = {
  'a rare word': take(40, (i) => [vocabulary[15_000 + i * 301]]),
  'a common word': take(40, (i) => [vocabulary[i]]),
  'two words': take(40, (i) => [vocabulary[40 + i * 7], vocabulary[60 + i * 11]]),
  'a phrase of two words': take(40, (i) => [`${vocabulary[i]} ${vocabulary[(i * 3 + 1) % 40]}`]),
  'a word in a few places': [['xyzzyNeedle42']],
}

export async function search(context) {
  const { world, corpus } = await prepared(context)
  const { counts, timings } = await context.inProcess('measureSearch', world, queries, context.rounds.searches)
  const expected = corpus.claude.output_tokens + corpus.codex.output_tokens
  if (counts.outputTokens !== expected) {
    throw new Error(`the catalogue has ${counts.outputTokens} output tokens, the corpus ${expected}`)
  }
  const where = `${counts.passages.toLocaleString('en')} passages of ${counts.sessions.toLocaleString('en')} sessions`
  const row = (order, words, goal) => (name, number) => ({
    id: `search-${order}-${number + 1}`,
    what: `search, ${words}: ${name}, p95`,
    unit: 'ms',
    goal,
    value: timings[order][name].p95,
    detail: `${timing(timings[order][name])}; ${number === 0 ? `${where}; ` : ''}${timings[order][name].hits} hits`,
  })
  return [
    ...Object.keys(queries).map(row('newest', 'newest first', 10)),
    ...Object.keys(queries).map(row('rank', 'best first', 50)),
  ]
}

function take(count, make) {
  return Array.from({ length: count }, (_, i) => make(i))
}
