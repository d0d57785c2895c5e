import { appendFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { claudeLines, writeClaude } from '../../test/e2e/claude-session.ts'
import { copyTree, scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { Archive } from '../archive/archive.ts'
import type { Io } from '../platform/io.ts'
import type { Catalog } from './catalog.ts'
import { openCatalog } from './open.ts'
import { openSession } from './open-session.ts'

const ID = '3f2a0000-0000-4000-8000-000000000001'

function indexed(io: Io): Catalog {
  const catalog = openCatalog(io)
  catalog.refresh({ extent: 'full' })
  return catalog
}

const openedIn = (io: Io, ...references: string[]): ReturnType<typeof openSession> =>
  openSession(io, references, () => {})

describe.each(agents.filter(({ isArchive }) => !isArchive))('$id', (agent) => {
  test('all that the complete index knows of each session, with and without a copy in the archive', async () => {
    const io = scratchIo()
    const fixtures = fileURLToPath(new URL(`../agents/${agent.id}/fixtures/`, import.meta.url))
    copyTree(fixtures + readdirSync(fixtures)[0], io.home)
    const catalog = indexed(io)
    const rows = catalog.sessions({ hidden: true, subAgents: true })
    const archive = new Archive(io)
    for (const [index, row] of rows.entries()) if (index % 2 === 0) archive.capture(agent, catalog.locate(row).head)
    archive.close()
    catalog.refresh({ extent: 'full' })
    expect(rows.length).toBeGreaterThan(0)
    for (const { id } of rows) {
      const row = catalog.find(`${agent.id}:${id}`)
      const opened = await openedIn(io, `${agent.id}:${id}`)
      expect(opened?.row).toEqual(row)
      const { locate, locateArchived, subAgents, shortIds } = opened!.lookup
      expect([locate(row), locateArchived(row), subAgents(row), shortIds([row])(row)]).toEqual([
        ...[catalog.locate(row), catalog.locateArchived(row), catalog.subAgents(row), catalog.shortIds([row])(row)],
      ])
    }
    catalog.close()
  })
})

test('what was just written is in it, the first reference that names a session counts, and a wrong one is left to others', async () => {
  const io = scratchIo()
  expect(await openedIn(io, ID)).toBeUndefined()
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  const path = writeClaude(where, { id: ID, prompt: 'count the zebras', answer: 'nine' })
  indexed(io).close()
  appendFileSync(path, `${claudeLines({ id: ID, prompt: 'and the lions', answer: 'two' }).join('\n')}\n`)
  const opened = await openedIn(io, `${ID}#e1`, ID)
  expect([opened?.reference, opened?.row.messages]).toEqual([ID, 4])
  expect([await openedIn(io, '9999'), await openedIn(io, '')]).toEqual([undefined, undefined])
})
