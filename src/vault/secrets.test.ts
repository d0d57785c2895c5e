import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listAll } from '../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { columnNames, tableNames } from '../native/database.ts'
import type { Io } from '../platform/io.ts'
import { openDatabase } from '../platform/sqlite.ts'
import { restore } from './restore.ts'
import { Vault } from './vault.ts'

const TOKEN = 'eyJ-a-login-token'

/** Databases in which every table that no session has rows in has got a token. */
function plant(agent: Agent, io: Io): number {
  let planted = 0
  for (const path of filesBelow(io.home).filter((name) => /\.(db|sqlite3)$/.test(name))) {
    const database = openDatabase(path)
    for (const table of tableNames(database)) {
      const columns = columnNames(database, table)
      if (agent.backup!.tables!.includes(table) || !columns.has('key') || !columns.has('value')) continue
      database.prepare(`INSERT INTO "${table}" (key, value) VALUES ('${TOKEN}', '${TOKEN}')`).run()
      planted++
    }
    database.close()
  }
  return planted
}

const cases = agents
  .filter(({ backup: keep, secrets }) => keep?.tables && secrets.some((secret) => /\.sqlite3$/.test(secret)))
  .flatMap((agent) => {
    const fixtures = fileURLToPath(new URL(`../agents/${agent.id}/fixtures/`, import.meta.url))
    return readdirSync(fixtures).map((version) => [agent.id, version, agent, join(fixtures, version)] as const)
  })

test.each(cases)(
  '%s %s: a token beside the sessions is neither copied nor restored',
  (_id, _version, agent, fixture) => {
    const io = scratchIo(fixture)
    expect(plant(agent, io)).toBeGreaterThan(0)
    const vault = new Vault(io)
    const empty: Io = { ...io, home: scratchFolder() }
    let seen = 0
    for (const head of listAll(agent, io).heads) {
      if (!vault.backUp(agent, head)) continue
      const kept = vault.find(agent, head.id)!
      for (const part of kept.versions.at(-1)!.parts) {
        const content = Buffer.concat([...vault.content(part)]).toString('latin1')
        expect(content).not.toContain(TOKEN)
        seen += content.length
      }
      const { parts } = kept.versions.at(-1)!
      restore({ ...kept, agent, parts, content: (part) => vault.content(part), io: empty })
    }
    expect(seen).toBeGreaterThan(0)
    for (const file of filesBelow(empty.home)) expect(readFileSync(file, 'latin1')).not.toContain(TOKEN)
  },
)
