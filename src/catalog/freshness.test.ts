import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { isProblem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { openDatabase } from '../platform/sqlite.ts'
import type { Catalog, SourceError } from './catalog.ts'
import { INDEX_FILE } from './connection.ts'
import { isFresh } from './freshness.ts'
import { catalogPath } from './index-file.ts'
import { openCatalog, openMemoryCatalog } from './open.ts'
import type { SessionRow } from './session-row.ts'
import { stampText } from './stamp.ts'
import { checkStores } from './store-facts.ts'

const fixturesOf = (agent: Agent): string => fileURLToPath(new URL(`../agents/${agent.id}/fixtures`, import.meta.url))

/** A home whose folders count as settled at once, so that the next check may rely on their times. */
function worldOf(agent: Agent, name: string): Io {
  const io = scratchIo(join(fixturesOf(agent), agent.isArchive ? join(name, 'v1') : name))
  const env = agent.isArchive ? { ...io.env, ION_HOME: join(io.home, '.ion') } : io.env
  return { ...io, env, now: () => new Date(Date.now() + 60_000) }
}

interface Change {
  readonly what: string
  readonly make: () => void
}

/** What agents and users do to files, in each folder of a store and to some of its files. */
function* changesIn(home: string): Generator<Change> {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => !INDEX_FILE.test(name),
  )
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const some = <T>(all: readonly T[]): T[] => all.filter((_one, index) => index % Math.ceil(all.length / 6) === 0)
  for (const file of some(files)) {
    const other = join(dirname(file), `0${basename(file, extname(file))}-2${extname(file)}`)
    yield { what: `append to ${file}`, make: () => appendFileSync(file, '\n') }
    yield { what: `copy ${file}`, make: () => cpSync(file, other) }
    yield { what: `write beside ${file}`, make: () => writeFileSync(`${file}-wal`, '') }
    yield { what: `rename ${other}`, make: () => renameSync(other, join(dirname(other), `1${basename(other)}`)) }
    yield { what: `delete ${file}`, make: () => rmSync(file) }
  }
  for (const folder of some(folders)) {
    const other = `${folder}-2`
    yield { what: `copy ${folder}`, make: () => existsSync(folder) && cpSync(folder, other, { recursive: true }) }
    yield { what: `new folder in ${folder}`, make: () => mkdirSync(join(folder, 'new'), { recursive: true }) }
    yield { what: `delete ${folder}`, make: () => rmSync(folder, { recursive: true, force: true }) }
  }
}

const contents = (catalog: Catalog): { rows: SessionRow[]; errors: SourceError[] } => ({
  rows: catalog.sessions({ hidden: true, subAgents: true }).sort((a, b) => (a.path + a.id < b.path + b.id ? -1 : 1)),
  errors: catalog.sourceErrors(),
})

/** The sources as they are now, with their stamps. */
function listed(agent: Agent, io: Io): [path: string, stamp: string][] {
  const sources = [...agent.sources(readContext(io))].flatMap((source): [string, string][] =>
    isProblem(source) ? [] : [[source.path, stampText(source)]],
  )
  return sources.sort(([a], [b]) => (a < b ? -1 : 1))
}

describe.each(agents)('$id', (agent) => {
  const names = readdirSync(fixturesOf(agent))

  test.each(names)('%s: whatever changes, the next list is that of a complete comparison', (name) => {
    const io = worldOf(agent, name)
    const [quick, complete] = [openCatalog(io), openMemoryCatalog(io)]
    const database = openDatabase(catalogPath(io))
    const known = database.prepare('SELECT path, stamp FROM source WHERE agent = ? ORDER BY path')
    const compare = (what: string): void => {
      quick.refresh()
      complete.refresh({ extent: 'full' })
      expect({ what, ...contents(quick) }).toEqual({ what, ...contents(complete) })
      const stored = known.all(agent.id) as { path: string; stamp: string }[]
      expect({ what, sources: stored.map(({ path, stamp }) => [path, stamp.replace('!', '')]) }).toEqual({
        what,
        sources: listed(agent, io),
      })
    }
    compare('nothing')
    for (const { what, make } of changesIn(io.home)) {
      make()
      compare(what)
    }
    for (const opened of [database, quick, complete]) opened.close()
  })

  test('with another environment its store is listed again, unless it is the same', () => {
    const io = worldOf(agent, names.at(-1)!)
    const catalog = openCatalog(io)
    catalog.refresh()
    catalog.close()
    const database = openDatabase(catalogPath(io))
    const fresh = (changed: Io): boolean => checkStores(database, changed, [agent.id]).every(isFresh)
    expect(fresh(io)).toBe(true)
    const elsewhere = scratchIo().home
    const moved: Io[] = [
      { ...io, home: elsewhere },
      { ...io, cwd: elsewhere },
      ...agent.paths(io).flatMap(({ env }) => env.map((key) => ({ ...io, env: { ...io.env, [key]: elsewhere } }))),
    ]
    for (const other of moved) {
      // Ion's own folder holds the index itself.
      if (fresh(other)) expect(listed(agent, other)).toEqual(listed(agent, io))
    }
    database.close()
  })
})
