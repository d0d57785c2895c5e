import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { copyTree, scratchIo } from '../../test/support/scratch.ts'
import { searchFor } from '../../test/support/search-query.ts'
import { changeMarks } from '../organise/change-marks.ts'
import { noMarks } from '../organise/marks.ts'
import type { Io } from '../platform/io.ts'
import type { Catalog } from './catalog.ts'
import { catalogPath } from './index-file.ts'
import { openCatalog } from './open.ts'
import type { SearchHit } from './search/query.ts'
import type { SessionRow } from './session-row.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../agents/${path}`, import.meta.url))

/** Sessions of two agents, one in files and one in a database. */
function world(): { io: Io; catalog: Catalog; rows: SessionRow[] } {
  const io = scratchIo(fixture('claude/fixtures/2.1.325'))
  copyTree(fixture('goose/fixtures/1.52.0'), io.home)
  const catalog = openCatalog(io)
  catalog.refresh()
  return { io, catalog, rows: catalog.sessions() }
}

const ids = (rows: readonly SessionRow[]): string[] => rows.map(({ id }) => id)

test('a row has what the user added, and the title is the given name', () => {
  const { io, catalog, rows } = world()
  const [row, other] = rows as [SessionRow, SessionRow]
  const { origin: _, ...marks } = noMarks
  expect(row).toMatchObject(marks)
  changeMarks(io, row, { name: 'Refund rounding', addTags: ['pay'], pinned: true, note: 'Ask Kim' })
  const marked = {
    ...row,
    ...{ title: 'Refund rounding', name: 'Refund rounding', tags: ['pay'], pinned: true, note: 'Ask Kim' },
  }
  expect(catalog.sessions()).toEqual([marked, ...rows.slice(1)])
  expect(catalog.find(row.id)).toEqual(marked)
  // The adapter's head is what the agent has.
  expect(catalog.locate(row).head.title).toBe(row.title)
  expect(catalog.find(other.id)).toEqual(other)
  catalog.close()
})

test('it survives an index that is deleted and built again', () => {
  const { io, catalog, rows } = world()
  changeMarks(io, rows[0]!, { name: 'Kept', addTags: ['x'] })
  const before = catalog.sessions()
  catalog.close()
  rmSync(catalogPath(io))
  const again = openCatalog(io)
  again.refresh()
  expect(again.sessions()).toEqual(before)
  again.close()
})

test('lists by tag, by pin, and by words of names and tags', () => {
  const { io, catalog, rows } = world()
  const [a, b, c] = rows as [SessionRow, SessionRow, SessionRow]
  changeMarks(io, a, { addTags: ['pay', 'v2'], pinned: true })
  changeMarks(io, b, { addTags: ['v2'], name: 'Zebra crossing' })
  changeMarks(io, c, { addTags: ['other'], pinned: true, note: 'zebra in a note' })
  changeMarks(io, { ...a, id: 'gone' }, { addTags: ['pay'], pinned: true })
  const listed = (...filter: Parameters<Catalog['sessions']>): string[] => ids(catalog.sessions(...filter))
  expect(listed({ tags: ['pay'] })).toEqual([a.id])
  expect(listed({ tags: ['pay', 'other'] })).toEqual([a.id, c.id])
  expect(listed({ tags: ['v2'], pinned: true })).toEqual([a.id])
  expect(listed({ tags: ['unknown'] })).toEqual([])
  expect(listed({ pinned: true })).toEqual([a.id, c.id])
  expect(listed({ pinned: true, limit: 1 })).toEqual([a.id])
  expect(catalog.count({ tags: ['v2'] })).toBe(2)
  expect(catalog.totals({ pinned: true })).toMatchObject({ sessions: 2 })
  expect(listed({ words: ['ZEBRA'] })).toEqual([b.id])
  expect(listed({ words: ['zebra', 'v2', b.id.slice(0, 8)] })).toEqual([b.id])
  expect(listed({ words: ['pay', 'zebra'] })).toEqual([])
  catalog.close()
})

test('finds by the given name, its beginning, and still by the title of the agent', () => {
  const { io, catalog, rows } = world()
  const [a, b] = rows as [SessionRow, SessionRow]
  changeMarks(io, a, { name: 'Refund rounding' })
  expect(catalog.find('refund ROUNDING').id).toBe(a.id)
  expect(catalog.find('refund…').id).toBe(a.id)
  expect(catalog.find(a.title!).id).toBe(a.id)
  // A name was given on purpose, a title was not.
  changeMarks(io, b, { name: a.title! })
  expect(catalog.find(a.title!).id).toBe(b.id)
  changeMarks(io, b, { name: 'Refund sums' })
  expect(() => catalog.find('refund')).toThrowError(
    expect.objectContaining({ hint: expect.stringMatching(/Refund rounding[\s\S]*Refund sums/) }),
  )
  changeMarks(io, b, { name: 'refund rounding' })
  expect(catalog.find('refund rounding').id).toBe(b.id)
  expect(() => catalog.find('REFUND rounding')).toThrow('matches 2 sessions')
  catalog.close()
})

test('search finds names, tags and notes, and selects by tag and pin', () => {
  const { io, catalog, rows } = world()
  const [a, b, c] = rows as [SessionRow, SessionRow, SessionRow]
  changeMarks(io, a, { name: 'Quokka parade', addTags: ['zoo', 'v2'] })
  changeMarks(io, b, { note: 'the quokka\nis not here', pinned: true })
  changeMarks(io, c, { addTags: ['quokkas'], pinned: true })
  const found = (query: string): [id: string, role: string, event: string | null, snippet: string][] =>
    catalog
      .search(searchFor(query))
      .hits.map(({ session, role, event, snippet }: SearchHit) => [session.id, role, event, snippet])
  expect(found('QUOKKA')).toEqual([
    [a.id, 'title', null, 'Quokka parade'],
    [b.id, 'note', null, 'the quokka is not here'],
    [c.id, 'tag', null, '#quokkas'],
  ])
  expect(found('quokka is:pinned')).toHaveLength(2)
  expect(found('quokka role:note,tag')).toHaveLength(2)
  expect(found('quokka -parade')).toHaveLength(2)
  expect(found('"quokka is"')).toEqual([[b.id, 'note', null, 'the quokka is not here']])
  expect(found('#zoo #v2')).toEqual([[a.id, 'tag', null, '#v2 #zoo']])
  expect(found('role:tag zoo v2')).toEqual([[a.id, 'tag', null, '#v2 #zoo']])
  expect(found('tag:zoo,quokkas').map(([id, role]) => [id, role])).toEqual([
    [a.id, 'title'],
    [c.id, 'title'],
  ])
  expect(found('tag:zoo is:pinned')).toEqual([])
  expect(found('tag:nowhere')).toEqual([])
  expect(found('title:parade')).toEqual([[a.id, 'title', null, 'Quokka parade']])
  expect(found('role:note')).toHaveLength(1)
  // A given name does not hide the title of the agent.
  expect(found(`title:"${a.title}"`).map(([id]) => id)).toContain(a.id)
  catalog.close()
})

test('only texts about sessions: no transcript is read', () => {
  const { io, catalog, rows } = world()
  changeMarks(io, rows[0]!, { note: 'quokka' })
  for (const row of rows) rmSync(row.path, { force: true, recursive: true })
  expect(catalog.search(searchFor('role:note quokka'))).toMatchObject({ hits: [{ role: 'note' }], unsearched: [] })
  expect(catalog.search(searchFor('quokka')).unsearched).not.toEqual([])
  catalog.close()
})
