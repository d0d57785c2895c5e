// What is measured inside one process: the index without the command line around it. See call-in-process.ts.
import { appendFileSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openCatalog } from '../src/catalog/open.ts'
import type { SearchQuery } from '../src/catalog/search/query.ts'
import type { Io } from '../src/platform/io.ts'

export * from './measure/archive-in-process.ts'
export * from './measure/replica-in-process.ts'

interface World {
  readonly home: string
  readonly ionHome: string
}

interface Timing {
  readonly p50: number
  readonly p95: number
  /** Of the CPU time of this process, which other processes do not lengthen. */
  readonly cpu95: number
  readonly count: number
}

const anything: Omit<SearchQuery, 'wanted' | 'limit'> = {
  ...{ excluded: [], agents: [], roles: [], tools: [], files: [], titles: [], projects: [], models: [], states: [] },
  ...{ tags: [], order: 'newest' },
}

export function measureSearch(
  world: World,
  queries: Record<string, string[][]>,
): {
  counts: { sessions: number; outputTokens: number }
  timings: Record<string, Timing & { hits: number }>
} {
  const catalog = openCatalog(ioOf(world))
  const rows = catalog.sessions({ hidden: true, subAgents: true })
  const ask = (terms: string[]): number =>
    catalog.search({ ...anything, wanted: terms.map((text) => [{ text }]), limit: 20 }).hits.length
  // Opens what is opened once.
  ask(['warm'])
  const timings: Record<string, Timing & { hits: number }> = {}
  for (const [name, list] of Object.entries(queries)) {
    const watch = new Stopwatch()
    let hits = 0
    for (const terms of list) hits += watch.time(() => ask(terms))
    if (hits === 0) throw new Error(`no query for ${name} finds anything`)
    timings[name] = { ...watch.timing(), hits: Math.round(hits / list.length) }
  }
  catalog.close()
  const outputTokens = rows.reduce((sum, row) => sum + row.tokens.output, 0)
  return { counts: { sessions: rows.length, outputTokens }, timings }
}

/** Appends lines to one session as an agent does, and takes each in. `path` is below the home. */
export function measureAppend(world: World, path: string, rounds: number): { taken: Timing; idle: Timing } {
  const catalog = openCatalog(ioOf(world))
  const file = join(world.home, path)
  const append = (text: string): void => appendFileSync(file, line(file, world.home, text))
  const word = (round: number): string => `${basename(file, '.jsonl').replaceAll('-', '')}x${round}`
  // An old session that continues: noticed by the full check, and among the newest from then on.
  append('first')
  catalog.refresh({ extent: 'full' })
  const [taken, idle] = [new Stopwatch(), new Stopwatch()]
  for (let round = 0; round < rounds; round++) {
    append(word(round))
    const { changed } = taken.time(() => catalog.refresh({ paths: [file] }))
    if (changed !== 1) throw new Error(`round ${round}: ${changed} sessions changed`)
    idle.time(() => catalog.refresh())
  }
  const wanted = [[{ text: word(rounds - 1) }]]
  const last = catalog.search({ ...anything, wanted, limit: 5 })
  if (last.hits.length !== 1) throw new Error('the last line that was appended is not found')
  catalog.close()
  return { taken: taken.timing(), idle: idle.timing() }
}

export function measureFreshness(
  world: World,
  rounds: number,
): { hot: Timing; full: Timing; walk: Timing; changed: number } {
  const catalog = openCatalog(ioOf(world))
  let changed = catalog.refresh({ extent: 'full' }).changed
  const [hot, full, walk] = [new Stopwatch(), new Stopwatch(), new Stopwatch()]
  for (let round = 0; round < rounds; round++) {
    walk.time(() => lookAtAll(world.home))
    changed += full.time(() => catalog.refresh({ extent: 'full' })).changed
    for (let i = 0; i < 10; i++) changed += hot.time(() => catalog.refresh()).changed
  }
  catalog.close()
  return { hot: hot.timing(), full: full.timing(), walk: walk.timing(), changed }
}

/** The least that finding out can cost in this language. */
function lookAtAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) lookAtAll(path)
    else statSync(path)
  }
}

class Stopwatch {
  readonly #wall: number[] = []
  readonly #cpu: number[] = []

  time<T>(body: () => T): T {
    const cpu = process.cpuUsage()
    const start = performance.now()
    const result = body()
    this.#wall.push(performance.now() - start)
    const { user, system } = process.cpuUsage(cpu)
    this.#cpu.push((user + system) / 1000)
    return result
  }

  timing(): Timing {
    return { p50: at(this.#wall, 0.5), p95: at(this.#wall, 0.95), cpu95: at(this.#cpu, 0.95), count: this.#wall.length }
  }
}

function at(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

function ioOf({ home, ionHome }: World): Io {
  const env = { HOME: home, ION_HOME: ionHome, PATH: '' }
  return { env, home, cwd: home, platform: process.platform, now: () => new Date() }
}

function line(file: string, cwd: string, word: string): string {
  const record = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId: basename(file, '.jsonl'),
    version: '2.0.60',
    gitBranch: 'main',
    type: 'user',
    message: { role: 'user', content: `${word} and some more words, about as many as a short prompt has in all` },
    uuid: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
  }
  return `${JSON.stringify(record)}\n`
}
