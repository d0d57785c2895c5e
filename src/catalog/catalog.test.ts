import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { copyTree, scratchIo } from '../../test/support/scratch.ts'
import { searchFor } from '../../test/support/search-query.ts'
import type { Io } from '../platform/io.ts'
import { catalogPath } from './index-file.ts'
import { openCatalog } from './open.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../agents/${path}`, import.meta.url))

/** Sessions of two agents, one in files and one in a database. */
function world(): Io {
  const io = scratchIo(fixture('claude/fixtures/2.1.325'))
  copyTree(fixture('goose/fixtures/1.52.0'), io.home)
  return io
}

const CLAUDE = '11111111-1111-4111-8111-111111111111'

function claudeFile(io: Io): string {
  return join(io.home, `.claude/projects/-home-dev1-projects-shop/${CLAUDE}.jsonl`)
}

const said = (text: string, uuid: string): string =>
  `${JSON.stringify({
    parentUuid: null,
    type: 'user',
    message: { role: 'user', content: text },
    uuid,
    timestamp: '2026-11-15T23:00:00.000Z',
    cwd: '/home/dev1/projects/shop',
    sessionId: CLAUDE,
  })}\n`

describe('refresh', () => {
  test('finds every session once, newest first; a second run changes nothing', () => {
    const io = world()
    const catalog = openCatalog(io)
    const first = catalog.refresh()
    const rows = catalog.sessions({ hidden: true, subAgents: true })
    expect(rows.length).toBe(first.changed)
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
    expect(rows.map((row) => row.updated_at)).toEqual(
      rows
        .map((row) => row.updated_at)
        .toSorted()
        .toReversed(),
    )
    expect(new Set(rows.map((row) => row.agent))).toEqual(new Set(['claude', 'goose']))
    expect(catalog.refresh()).toMatchObject({ changed: 0, removed: 0 })
    catalog.close()
  })

  test('a run with nothing new parses no file, even if the bodies could no longer be read', () => {
    const io = world()
    const file = claudeFile(io)
    const { size } = statSync(file)
    // A whole second, which can be set again exactly.
    utimesSync(file, 1_790_000_000, 1_790_000_000)
    const catalog = openCatalog(io)
    catalog.refresh()
    const before = catalog.sessions()
    // The same size, time and inode: only parsing it would show that it is garbage.
    writeFileSync(file, Buffer.alloc(size, 'x'))
    utimesSync(file, 1_790_000_000, 1_790_000_000)
    expect(catalog.refresh()).toMatchObject({ changed: 0 })
    expect(catalog.sessions()).toEqual(before)
    catalog.close()
  })

  test('an appended line is counted from where the last run stopped', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    const before = catalog.find(CLAUDE)
    appendFileSync(claudeFile(io), said('one more', 'aaaaaaaa-0000-4000-8000-000000000001'))
    expect(catalog.refresh()).toMatchObject({ changed: 1 })
    const after = catalog.find(CLAUDE)
    expect(after).toEqual({
      ...before,
      messages: before.messages + 1,
      updated_at: '2026-11-15T23:00:00.000Z',
      bytes: statSync(claudeFile(io)).size,
    })
    // From scratch the result is the same.
    const rebuilt = openCatalog({ ...io, env: { ...io.env, ION_HOME: join(io.home, 'other-ion') } })
    rebuilt.refresh()
    expect(rebuilt.find(CLAUDE)).toEqual(after)
    catalog.close()
    rebuilt.close()
  })

  test('a refresh of given paths reads only those', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    const other = claudeFile(io).replaceAll('1111', '2222')
    for (const file of [claudeFile(io), other])
      appendFileSync(file, said('changed', 'aaaaaaaa-0000-4000-8000-00000000000a'))
    expect(catalog.refresh({ paths: [claudeFile(io), '/nowhere'] })).toMatchObject({ changed: 1, removed: 0 })
    expect(catalog.refresh()).toMatchObject({ changed: 1, removed: 0 })
    catalog.close()
  })

  test('a file rewritten from its start is counted from scratch', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    const text = readFileSync(claudeFile(io), 'utf8')
    writeFileSync(claudeFile(io), said('only this', 'aaaaaaaa-0000-4000-8000-000000000002') + text.replaceAll('a', 'b'))
    catalog.refresh()
    expect(catalog.find(CLAUDE)).toMatchObject({ title: 'only this' })
    catalog.close()
  })

  test('a session deleted from the store disappears from the list, with its text', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    rmSync(claudeFile(io))
    expect(catalog.refresh()).toMatchObject({ removed: 1 })
    expect(() => catalog.find(CLAUDE)).toThrow('no session matches')
    catalog.close()
  })

  test('an error of a source stays recorded until it is fixed', () => {
    const io = world()
    const file = join(io.home, '.local/share/goose/sessions/sessions.db')
    const good = readFileSync(file)
    const wal = readFileSync(`${file}-wal`)
    for (const ending of ['-wal', '-shm']) rmSync(file + ending)
    writeFileSync(file, 'this is no database')
    const catalog = openCatalog(io)
    catalog.refresh()
    catalog.refresh()
    expect(catalog.sourceErrors()).toEqual([
      {
        agent: 'goose',
        path: file,
        problem: expect.stringContaining('the file is damaged'),
        code: 'damaged',
        errno: null,
      },
    ])
    writeFileSync(file, good)
    writeFileSync(`${file}-wal`, wal)
    catalog.refresh()
    expect(catalog.sourceErrors()).toEqual([])
    expect(catalog.count({ agents: ['goose'] })).toBe(11)
    catalog.close()
  })
})

describe('find', () => {
  test('by id, prefix, native id and title; ambiguous and unknown references are errors', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    const row = catalog.find(CLAUDE)
    expect(catalog.find('11111111')).toEqual(row)
    expect(catalog.find(CLAUDE.toUpperCase())).toEqual(row)
    expect(catalog.find('20261115_12')).toMatchObject({ agent: 'goose', title: 'tool-error' })
    expect(catalog.find('shiny name')).toMatchObject({ native_id: '99999999-1111-4111-8111-111111111111' })
    expect(() => catalog.find('7777')).toThrow(/matches 4 sessions/)
    expect(() => catalog.find('777')).toThrow(/no session matches/)
    expect(() => catalog.find('../../etc/passwd')).toThrow(/no session matches/)
    catalog.close()
  })
})

describe('an unusable index file', () => {
  test.each([
    ['not a database', 'garbage garbage garbage'],
    ['cut off', undefined],
  ])('%s: rebuilt with one notice', (_name, content) => {
    const io = world()
    const first = openCatalog(io)
    first.refresh()
    const rows = first.sessions()
    first.close()
    const file = catalogPath(io)
    rmSync(`${file}-wal`, { force: true })
    writeFileSync(file, content ?? readFileSync(file).subarray(0, 5000))
    const notices: string[] = []
    const second = openCatalog(io, (line) => notices.push(line))
    second.refresh()
    expect(second.sessions()).toEqual(rows)
    expect(notices).toEqual([expect.stringContaining('rebuilding it')])
    second.close()
  })
})

describe('search', () => {
  test('finds words newest first, and says where', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    const { hits, ...summary } = catalog.search(searchFor('Explain cart'))
    const searched = catalog.count({ hidden: true, subAgents: true })
    expect(summary).toMatchObject({ searched, unsearched: [], isCut: false })
    expect(hits.map((hit) => [hit.session.native_id, hit.role, hit.snippet, hit.marks])).toEqual([
      [
        '20261115_1',
        'assistant',
        'stub-reply #54: Explain the cart in one line',
        [
          [16, 23],
          [28, 32],
        ],
      ],
    ])
    expect(hits[0]!.more).toBe(1)
    catalog.close()
  })

  test('an appended text is found, a deleted one is not', () => {
    const io = world()
    const catalog = openCatalog(io)
    catalog.refresh()
    // The index need not have noticed: the file is what is searched.
    appendFileSync(claudeFile(io), said('a quokka appears', 'aaaaaaaa-0000-4000-8000-000000000003'))
    const found = (): string[] => catalog.search(searchFor('quokka')).hits.map((hit) => hit.session.native_id)
    expect(found()).toEqual([CLAUDE])
    rmSync(claudeFile(io))
    catalog.refresh()
    expect(found()).toEqual([])
    catalog.close()
  })

  test('the end of a long text is found, and a part of a word', () => {
    const io = world()
    appendFileSync(claudeFile(io), said(`${'filler '.repeat(3000)} xylophone`, 'aaaaaaaa-0000-4000-8000-000000000004'))
    const catalog = openCatalog(io)
    catalog.refresh()
    const { hits } = catalog.search(searchFor('lophon'))
    expect(hits).toMatchObject([
      { session: { native_id: CLAUDE }, event: 'aaaaaaaa-0000-4000-8000-000000000004', more: 0 },
    ])
    expect(hits[0]!.snippet).toContain('xylophone')
    catalog.close()
  })

  test.each(['"', '*', 'AND', 'NOT cart', 'a" OR "b', '^cart', 'text:cart', '(', '\u0000', '💥'])(
    'any text can be searched for: %j',
    (term) => {
      const io = world()
      const catalog = openCatalog(io)
      catalog.refresh()
      const query = searchFor('', { wanted: [[{ text: term }]], excluded: [{ text: term }] })
      expect(() => catalog.search(query)).not.toThrow()
      catalog.close()
    },
  )
})

test('two processes can use one index at the same time', () => {
  const io = world()
  const one = openCatalog(io)
  const two = openCatalog(io)
  one.refresh()
  two.refresh()
  appendFileSync(claudeFile(io), said('both see this', 'aaaaaaaa-0000-4000-8000-000000000005'))
  two.refresh()
  one.refresh()
  expect(one.sessions()).toEqual(two.sessions())
  expect(one.search(searchFor('"both see this"')).hits.map((hit) => hit.more)).toEqual([0])
  one.close()
  two.close()
})

test('after close, the report is still readable and every query says that the index was closed', () => {
  const catalog = openCatalog(world())
  const { freshness } = catalog.refresh()
  catalog.close()
  expect({ ...freshness }).toEqual({
    checked: expect.any(Number),
    known: freshness.checked,
    fullCheckAt: expect.any(String),
  })
  for (const ask of [() => catalog.count(), () => catalog.sessions(), () => catalog.refresh()]) {
    expect(ask).toThrow('the index was closed')
  }
})

describe('indexes of other versions of Ion on the same home', () => {
  const MONTH_MS = 31 * 24 * 60 * 60 * 1000

  function olderIndex(io: Io, name: string, ageMs: number): string {
    const path = join(dirname(catalogPath(io)), name)
    const time = new Date(io.now().getTime() - ageMs)
    for (const ending of ['', '-wal']) {
      writeFileSync(path + ending, 'of another version')
      utimesSync(path + ending, time, time)
    }
    return path
  }

  test('are neither used nor rebuilt, and deleted a month after their last use', () => {
    const io = world()
    mkdirSync(dirname(catalogPath(io)), { recursive: true })
    const used = olderIndex(io, 'catalog.db', MONTH_MS)
    utimesSync(`${used}-wal`, io.now(), io.now())
    const newer = olderIndex(io, 'catalog.999.db', 1000)
    const unused = olderIndex(io, 'catalog.3.db', MONTH_MS)
    const notices: string[] = []
    const catalog = openCatalog(io, (line) => notices.push(line))
    catalog.refresh()
    expect(catalog.count()).toBeGreaterThan(0)
    catalog.close()
    expect(notices).toEqual([])
    expect([used, newer].map((path) => readFileSync(path, 'utf8'))).toEqual(Array(2).fill('of another version'))
    expect([unused, `${unused}-wal`].filter((path) => existsSync(path))).toEqual([])
  })
})
