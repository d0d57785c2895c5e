// Listing the newest sessions, from a hundred of them to very many, and finding out that nothing has changed.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runFloor, runNode, type Usage } from '../child.ts'
import { type Corpus, sessionFiles } from '../corpora.ts'
import { amount, timing } from '../format.ts'
import { makeLinkedHome } from '../linked-home.ts'
import { cpuRatio, interleaved, ratioDetail } from '../statistics.ts'
import type { BenchContext, Row, World } from '../types.ts'

const GOAL = 1.5

export async function list(context: BenchContext): Promise<Row[]> {
  const { corpora, scratch, rounds, inProcess } = context
  const few = await atSize(context, corpora.get('few'))
  const some = await atSize(context, corpora.get('some'))
  const mixed = await atSize(context, corpora.get('mixed'))
  const { home, files } = corpora.get('tiny')
  const world = { home, ionHome: scratch('list/ion') }
  const very = await atSize(context, corpora.get('tiny'), world)
  const { hot, full, walk, changed } = await inProcess('measureFreshness', world, rounds.checks)
  if (changed > 0) throw new Error(`${changed} sessions changed`)
  return [
    ...[few, some, mixed, very].flat(),
    await afterNewSession(context),
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

/** `ion` and `ion sessions` with nothing new. */
async function atSize(
  { program, scratch, rounds }: BenchContext,
  { name, home, files }: Corpus,
  world: World = { home, ionHome: scratch(`list-${name}/ion`) },
): Promise<Row[]> {
  const folder = scratch(`list-${name}`)
  const ion =
    (...args: string[]) =>
    (): Promise<Usage> =>
      runNode(folder, [program, ...args], world)
  await ion('status')()
  const { floor, overview, sessions } = await interleaved(rounds.short, {
    floor: () => runFloor(folder),
    overview: ion(),
    sessions: ion('sessions', '--all'),
  })
  const lines = sessions[0]!.text.trimEnd().split('\n').length
  if (lines < 50) throw new Error(`the list has ${lines} lines`)
  const row = (id: string, what: string, runs: readonly Usage[]): Row => ({
    id: `${id}-${name}`,
    what: `${what} of ${amount(files)} sessions, to \`node -e 0\``,
    unit: 'x',
    goal: GOAL,
    value: cpuRatio(runs, floor).value,
    detail: ratioDetail(runs, floor),
  })
  return [row('overview', '`ion`', overview), row('list', '`ion sessions`, newest 50', sessions)]
}

/** In a home that looks like the corpus. Each round adds a session; those that have it are compared with those that do not. */
async function afterNewSession({ corpora, program, scratch, rounds }: BenchContext): Promise<Row> {
  const corpus = corpora.get('tiny')
  const folder = scratch('list-new')
  const world = { home: join(folder, 'home'), ionHome: join(folder, 'ion') }
  mkdirSync(world.home)
  const files = sessionFiles(corpus.home).map(({ path }) => path)
  const model = files[0]!
  // Beside the new session are files, as in a real home: a link takes three looks instead of one.
  const beside = files.filter((path) => dirname(path) === dirname(model))
  makeLinkedHome(corpus.home, world.home, beside)
  const listed = (): Promise<Usage> => runNode(folder, [program, 'sessions', '--all'], world)
  await listed()
  let added = 0
  const { without, after } = await interleaved(rounds.short, {
    without: listed,
    after: async () => {
      const name = `b2b2b2b2-0000-4000-8000-${String(++added).padStart(12, '0')}.jsonl`
      const path = join(world.home, dirname(model), name)
      copyFileSync(join(corpus.home, model), path)
      const usage = await listed()
      // Removed, noticed and settled before the next round.
      rmSync(path)
      await new Promise((done) => setTimeout(done, 2500))
      await listed()
      return usage
    },
  })
  return {
    id: 'list-new',
    what: `\`ion sessions\` after one new session among ${amount(corpus.files)}, to one without it`,
    unit: 'x',
    goal: GOAL,
    value: cpuRatio(after, without).value,
    detail: ratioDetail(after, without),
  }
}
