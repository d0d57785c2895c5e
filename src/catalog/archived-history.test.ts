import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claudeLines, writeClaude } from '../../test/e2e/claude-session.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { searchFor } from '../../test/support/search-query.ts'
import { findAgent } from '../agents/find.ts'
import { Archive } from '../archive/archive.ts'
import { isProblem } from '../events/item.ts'
import { eventText } from '../events/text.ts'
import type { Io } from '../platform/io.ts'
import { countHidden, countMissing, sessionReader } from './archived-history.ts'
import type { Catalog } from './catalog.ts'
import { openCatalog } from './open.ts'

const ID = '3f2a0000-0000-4000-8000-000000000001'
const tool = { name: 'Bash', input: { command: 'ls' }, output: 'listing of zebras' }

function world(output = tool.output): { io: Io; path: string; catalog: Catalog; capture: () => void } {
  const io = scratchIo()
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  const path = writeClaude(where, {
    id: ID,
    prompt: 'count the zebras',
    answer: 'there are nine',
    tool: { ...tool, output },
  })
  const catalog = openCatalog(io)
  const capture = (): void => {
    catalog.refresh({ extent: 'full' })
    const archive = new Archive(io)
    archive.capture(findAgent('claude'), catalog.locate(catalog.find(ID)).head)
    archive.close()
    catalog.refresh({ extent: 'full' })
  }
  capture()
  return { io, path, catalog, capture }
}

function texts(catalog: Catalog, io: Io, archived: boolean): string[] {
  const read = sessionReader(catalog, catalog.find(ID), { archived }, io)
  return [...read()].flatMap((item) =>
    isProblem(item) || item.event.type === 'session_start' ? [] : eventText(item.event),
  )
}

const ALL = ['count the zebras', 'Bash ls', 'listing of zebras', 'there are nine']

test('nothing lost: the same events, nothing hidden, no hit twice', () => {
  const { io, catalog } = world()
  expect(countHidden(catalog, catalog.find(ID), io)).toBe(0)
  expect(texts(catalog, io, true)).toEqual(ALL)
  const { hits } = catalog.search(searchFor('zebras'))
  expect(hits.map(({ only_in_archive, more }) => [only_in_archive, more])).toEqual([[false, 2]])
  catalog.close()
})

test.each([true, false])('a cut file: what it lost is read and found in the archive (captured again: %s)', (again) => {
  const { io, path, catalog, capture } = world()
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.slice(3).join('\n'))
  if (again) capture()
  catalog.refresh({ extent: 'full' })
  expect(texts(catalog, io, false)).toEqual(['there are nine'])
  expect(countHidden(catalog, catalog.find(ID), io)).toBe(3)
  expect(texts(catalog, io, true)).toEqual(ALL)
  const { hits } = catalog.search(searchFor('zebras'))
  expect(hits.map((hit) => [hit.session.id, hit.session.only_in_archive, hit.only_in_archive, hit.more])).toEqual([
    [ID, false, true, 1],
  ])
  catalog.close()
})

test.each([true, false])('a rewritten event keeps its earlier text in the archive (captured again: %s)', (again) => {
  const { io, path, catalog, capture } = world()
  writeFileSync(
    path,
    `${claudeLines({ id: ID, prompt: 'count the lions', answer: 'there are nine, I think', tool }).join('\n')}\n`,
  )
  if (again) capture()
  catalog.refresh({ extent: 'full' })
  // The answer has only grown.
  expect(countHidden(catalog, catalog.find(ID), io)).toBe(1)
  expect(texts(catalog, io, true)).toEqual(expect.arrayContaining(['count the zebras', 'count the lions']))
  catalog.close()
})

test('a large session is not read to count what it lost', () => {
  const { io, path, catalog } = world('zebra '.repeat(1_800_000))
  expect(countHidden(catalog, catalog.find(ID), io)).toBe(0)
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 1).join('\n')}\n`)
  catalog.refresh({ extent: 'full' })
  expect(countHidden(catalog, catalog.find(ID), io)).toBe('some')
  expect(countMissing(catalog.locateArchived(catalog.find(ID))!, findAgent('claude'), io, io)).toBe('some')
  catalog.close()
})

test('a deleted session is marked, read and found', () => {
  const { io, path, catalog } = world()
  rmSync(path)
  catalog.refresh({ extent: 'full' })
  expect(catalog.find(ID)).toMatchObject({ archived: true, only_in_archive: true })
  expect(countHidden(catalog, catalog.find(ID), io)).toBe(0)
  expect(texts(catalog, io, false)).toEqual(ALL)
  expect(catalog.search(searchFor('zebras')).hits[0]).toMatchObject({ only_in_archive: true })
  catalog.close()
})

test('a session that is not in the archive: what to type', () => {
  const { io, catalog } = world()
  writeClaude({ root: io.home, home: io.home, ionHome: io.env.ION_HOME! }, { id: ID.replace('3f2a', '4f2a') })
  catalog.refresh({ extent: 'full' })
  expect(() => sessionReader(catalog, catalog.find('4f2a'), { archived: true }, io)).toThrow("is not in Ion's archive")
  catalog.close()
})
