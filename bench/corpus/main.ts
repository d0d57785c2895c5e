// Trees of sessions as two agents write them, made from a seed. Exact totals go to corpus.json, so that a reader can be
// checked: other numbers mean that it has not read everything.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeClaude } from './claude.ts'
import { writeCodex } from './codex.ts'
import { makeRandom, type Random } from './random.ts'
import { writeRows } from './rows.ts'
import { makeText, type Text } from './text.ts'
import { syllables, vocabulary } from './vocabulary.ts'

const BASE = Date.UTC(2025, 0, 6, 8, 0, 0)
const DAYS = 300
/** Of all sessions; the others are of the second agent. */
const CLAUDE_SHARE = 0.65
/** Of the bytes of a corpus, in a few very large files. */
const LARGE_SHARE = 0.35

/** Everything that the writers of sessions need. */
export interface CorpusWorld {
  readonly random: Random
  readonly text: Text
  readonly totals: Totals
  readonly projects: readonly string[]
}

export type Totals = ReturnType<typeof emptyTotals>

/** `megabytes` of sessions of all sizes below `out`. `args` are saved with the totals. */
export function writeCorpus(out: string, megabytes: number, seed: number, args: object): Totals {
  const world = makeWorld(seed)
  const target = megabytes * 1e6
  let bytes = 0
  for (const size of largeSizes(target)) bytes += writeSession(world, out, size)
  while (bytes < target) {
    const size = Math.min(Math.max(world.random.size(90e3, 1.5), 1500), 8e6)
    bytes += writeSession(world, out, size)
  }
  return finish(world, out, seed, args)
}

/** Sessions of about 2 KB. */
export function writeTinyCorpus(out: string, sessions: number, seed: number, args: object): Totals {
  const world = makeWorld(seed)
  for (let i = 0; i < sessions; i++) writeSession(world, out, 1e9, true)
  return finish(world, out, seed, args)
}

/** Sessions in databases. */
export function writeRowsCorpus(out: string, megabytes: number, seed: number, args: object): Totals {
  const world = makeWorld(seed)
  writeRows(world, out, megabytes)
  return finish(world, out, seed, args)
}

/** One session in one file. */
export function writeOneFile(path: string, megabytes: number, seed: number): Totals {
  const world = makeWorld(seed)
  writeClaude(world, path, megabytes * 1e6, BASE)
  return world.totals
}

function makeWorld(seed: number): CorpusWorld {
  const random = makeRandom(seed)
  const totals = emptyTotals()
  const text = makeText(random, totals)
  const projects: string[] = []
  for (let i = 0; i < 60; i++) {
    const name = random.pick(vocabulary.slice(200, 4000)).toLowerCase()
    projects.push(`/home/dev/src/${name}-${random.pick(syllables)}`)
  }
  return { random, text, totals, projects }
}

/** A geometric series: the largest has half of the share. */
function largeSizes(target: number): number[] {
  const sizes: number[] = []
  let left = target * LARGE_SHARE
  let size = left / 2
  while (left > 4e6 && sizes.length < 12) {
    sizes.push(size)
    left -= size
    size = Math.max(left / 2, 2e6)
  }
  return sizes
}

function writeSession(world: CorpusWorld, out: string, size: number, tiny = false): number {
  const { fraction, pick, uuid } = world.random
  const when = (): number => BASE + Math.floor(fraction() * DAYS * 86400e3)
  if (fraction() < CLAUDE_SHARE) {
    const project = pick(world.projects).replace(/[^a-zA-Z0-9]/g, '-')
    const path = join(out, '.claude', 'projects', project, `${uuid()}.jsonl`)
    return writeClaude(world, path, size, when(), tiny)
  }
  const time = when()
  const id = uuid()
  return writeCodex(world, codexPath(out, time, id), size, time, id, tiny)
}

function codexPath(out: string, time: number, id: string): string {
  const date = new Date(time).toISOString()
  const folder = join(out, '.codex', 'sessions', date.slice(0, 4), date.slice(5, 7), date.slice(8, 10))
  return join(folder, `rollout-${date.slice(0, 19).replace(/:/g, '-')}-${id}.jsonl`)
}

function finish({ totals }: CorpusWorld, out: string, seed: number, args: object): Totals {
  writeFileSync(join(out, 'corpus.json'), JSON.stringify({ seed, args, ...totals }, null, 1))
  return totals
}

function emptyTotals() {
  const files = { files: 0, lines: 0, bytes: 0 }
  return {
    ...files,
    claude: {
      ...files,
      sessions: 0,
      assistantMessages: 0,
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    codex: {
      ...files,
      sessions: 0,
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0,
    },
    needle: 0,
  }
}
