// What can be typed after `npm run bench --`.
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Size } from './corpora.ts'
import type { Rounds } from './types.ts'

export const usage = `npm run bench -- [options]

  --quick          small corpora: 200 MB, 5,000 sessions, a file of 300 MB (full: 2 GB, 100,000, 3 GB)
  --only <names>   only these, with commas: startup, run, list, index, search, append, archive, large,
                   show-last, watch, serve, serve-large, replica, handover, usage, web
  --corpus <dir>   where the corpora are, or are made (default: below the system's temporary folder)
  --rounds <n>     rounds of each pair (default: depends on how long one takes)
  --write          write docs/performance.md and bench/results.json also after --quick or --only
  --dist <dir>     where the built program is (default: dist)`

/** Slow things are measured less often. */
const rounds: Readonly<Record<Size, Rounds>> = {
  full: { short: 25, long: 3, searches: 5, appends: 200, checks: 5, idleSeconds: 60, restoredMb: [1, 100, 1000] },
  quick: { short: 15, long: 3, searches: 3, appends: 100, checks: 3, idleSeconds: 15, restoredMb: [1, 100] },
}

export interface BenchOptions {
  readonly help: boolean
  readonly size: Size
  readonly names: readonly string[]
  readonly corpusFolder: string
  readonly program: string
  readonly rounds: Rounds
  readonly write: boolean
}

export function readOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      corpus: { type: 'string', default: join(tmpdir(), 'ion-bench-corpora') },
      rounds: { type: 'string' },
      write: { type: 'boolean', default: false },
      dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only?.split(',') ?? names
  const unknown = only.filter((name) => !names.includes(name))
  if (unknown.length) throw new Error(`unknown part: ${unknown.join(', ')}; known parts: ${names.join(', ')}`)
  const size = values.quick ? 'quick' : 'full'
  const fixed =
    values.rounds === undefined
      ? {}
      : Object.fromEntries(['short', 'long', 'searches'].map((kind) => [kind, Number(values.rounds)]))
  return {
    help: values.help,
    size,
    names: names.filter((name) => only.includes(name)),
    corpusFolder: resolve(values.corpus),
    program: join(resolve(values.dist), 'ion.cjs'),
    rounds: { ...rounds[size], ...fixed },
    // The page has complete runs at full size only.
    write: values.write || (size === 'full' && only.length === names.length),
  }
}
