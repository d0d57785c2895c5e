// Searches over everything: as a command, against ripgrep over the same files, and within one process.
import { runNode, type Usage } from '../child.ts'
import type { Corpus } from '../corpora.ts'
import { vocabulary } from '../corpus/vocabulary.ts'
import { timing } from '../format.ts'
import { runRipgrep } from '../ripgrep.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row, World } from '../types.ts'
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
  const { counts, timings } = await context.inProcess('measureSearch', world, queries)
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

/** Searches that look at all bytes; the last ones also decode what they find, which ripgrep does not, so they have no goal. */
const compared: readonly (readonly [id: string, what: string, text: string, goal?: number])[] = [
  ['rare', 'a rare word', NEEDLE, 1.5],
  ['absent', 'a word that is nowhere', ABSENT, 1.5],
  ['cjk', 'a part of a Japanese sentence', '本語のテ'],
  ['phrase', 'a phrase of two common words', `"${vocabulary[0]} ${vocabulary[1]}"`],
]

/** The CPU time of ripgrep over the same files is the measure. */
async function againstRipgrep(context: BenchContext): Promise<Row[]> {
  const { world, corpus } = await prepared(context)
  if (!runRipgrep(NEEDLE, corpus.home)) {
    context.say('no ripgrep (rg) here: search is not compared with it')
    return []
  }
  const tiny = context.corpora.get('tiny')
  const tinyWorld = { home: tiny.home, ionHome: context.scratch('search-tiny') }
  context.say('building an index of the tiny sessions')
  await runNode(context.scratch('search'), [context.program, 'reindex', '--json'], tinyWorld)
  const rows: Row[] = []
  for (const [id, what, text, goal] of compared)
    rows.push(await compare(context, { id: `search-${id}`, what, text, goal }, world, corpus))
  const of = `a rare word in ${tiny.files.toLocaleString('en')} sessions`
  return [
    ...rows,
    await compare(context, { id: 'search-tiny', what: of, text: NEEDLE, goal: 1.5 }, tinyWorld, tiny),
    await inDatabases(context),
  ]
}

interface Compared {
  readonly id: string
  readonly what: string
  readonly text: string
  readonly goal: number | undefined
}

async function compare(
  context: BenchContext,
  { id, what, text, goal }: Compared,
  world: World,
  corpus: Corpus,
): Promise<Row> {
  const args = [context.program, 'search', text, '--limit', '0', '--json']
  const bytes = text.replaceAll('"', '')
  const { ion, start, rg } = await interleaved(goal === undefined ? context.rounds.long : context.rounds.searches * 2, {
    // Nothing found is exit code 1.
    ion: () => runNode(context.scratch('search'), args, world, [0, 1]),
    start: () => runNode(context.scratch('search'), [context.program, 'search', `title:${ABSENT}`], world, [0, 1]),
    rg: async () => runRipgrep(bytes, corpus.home)!,
  })
  const hits = ion[0]!.lines
  // A phrase also matches over a line break.
  if (text === bytes && hits !== rg[0]!.files)
    throw new Error(`${text}: ${hits} sessions, but ripgrep finds it in ${rg[0]!.files} files`)
  const scan = ion.map(({ cpuMs }, round) => ({ cpuMs: cpuMs - start[round]!.cpuMs }))
  return {
    id,
    what: `\`ion search\`, ${what}, to ripgrep`,
    unit: 'x',
    ...(goal === undefined ? {} : { goal }),
    value: cpuRatio(ion, rg).value,
    detail: `${ratioDetail(ion, rg)}; ${cpuRatio(scan, rg).value.toFixed(2)} without start and freshness; ${hits} sessions`,
  }
}

/** To reading and decoding all of them, as a regular expression does. */
async function inDatabases(context: BenchContext): Promise<Row> {
  const corpus = context.corpora.get('rows')
  const world = { home: corpus.home, ionHome: context.scratch('search-rows') }
  const run = (query: string) => (): Promise<Usage> =>
    runNode(context.scratch('search'), [context.program, 'search', query, '--limit', '0', '--json'], world, [0, 1])
  context.say('building an index of the databases')
  await run(ABSENT)()
  const { bytes, all } = await interleaved(context.rounds.searches, { bytes: run(NEEDLE), all: run(`/${NEEDLE}/`) })
  return {
    id: 'search-rows',
    what: `\`ion search\`, a rare word in ${Math.round(corpus.bytes / 1e6)} MB of databases, to decoding all rows`,
    unit: 'x',
    goal: 0.5,
    value: cpuRatio(bytes, all).value,
    detail: ratioDetail(bytes, all),
  }
}

function take<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
