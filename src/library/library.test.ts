import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sampleIo } from '../../test/support/sample-home.ts'
import { scratchIo, treeState } from '../../test/support/scratch.ts'
import { isRoot } from '../../test/support/unprivileged.ts'
import {
  agents,
  explainUsage,
  exportSession,
  IonError,
  type Item,
  isProblem,
  listSessions,
  loadEventSchema,
  readSession,
  resumeCommand,
  search,
  shareSession,
  usage,
} from '../index.ts'
import { changeMarks } from '../organise/change-marks.ts'
import type { Io } from '../platform/io.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const everything = { hidden: true, subAgents: true } as const

test('lists every session of every agent, with and without the index', async () => {
  const io = sampleIo()
  const listed = await all(listSessions({ io, ...everything }))
  const straight = await all(listSessions({ io, ...everything, catalog: false }))
  const withSamples = agents.filter((agent) => !agent.isArchive).map(({ id }) => id)
  expect([...new Set(listed.map((row) => row.agent))].sort()).toEqual(withSamples.sort())
  const byId = (rows: typeof listed): typeof listed => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(byId(straight)).toEqual(byId(listed))
  const times = straight.map((row) => row.updated_at ?? '')
  expect(listed.map((row) => row.updated_at ?? '')).toEqual(times.toSorted().reverse())
})

test('of two archived logs of one session, which an earlier version made, the newer is listed', async () => {
  const scratch = scratchIo(fileURLToPath(new URL('../agents/ion/fixtures/claude/v1', import.meta.url)))
  const io = { ...scratch, env: { ...scratch.env, ION_HOME: join(scratch.home, '.ion') } }
  const [older, newer] = ['3cf9aa450fdc1576', '0000000000000000'].map((name) =>
    join(io.home, '.ion/sessions', name, '0fe6896a-e4fd-46d8-a264-80066bf59f1c.jsonl'),
  )
  const later = { type: 'user', id: 'later', parent_id: null, seq: 99, timestamp: '2030-01-01T00:00:00.000Z' }
  mkdirSync(dirname(newer!))
  writeFileSync(newer!, `${readFileSync(older!, 'utf8')}${JSON.stringify({ ...later, content: 'later' })}\n`)
  for (const catalog of [true, false]) {
    const rows = await all(listSessions({ io, catalog, ...everything }))
    expect(rows.filter(({ id }) => id.startsWith('0fe6896a')).map(({ path }) => path)).toEqual([newer])
  }
})

test('without the index nothing is written', async () => {
  const io = sampleIo()
  const before = treeState(dirname(io.home))
  const [row] = await all(listSessions({ io, catalog: false, limit: 1 }))
  await all(readSession(row!, { io, catalog: false }))
  await all(readSession(row!.id, { io, catalog: false }))
  expect(treeState(dirname(io.home))).toEqual(before)
  expect(existsSync(io.env.ION_HOME!)).toBe(false)
})

test('filters by agent, project and time, and limits the number', async () => {
  const io = sampleIo()
  const rows = await all(listSessions({ io }))
  for (const catalog of [true, false]) {
    const { agent, project, updated_at } = rows[1]!
    const ids = async (filter: object): Promise<string[]> =>
      (await all(listSessions({ io, catalog, ...filter }))).map((row) => row.id).sort()
    const expected = (wanted: (row: (typeof rows)[0]) => boolean): string[] =>
      rows
        .filter(wanted)
        .map((row) => row.id)
        .sort()
    expect(await ids({ agents: [agent] })).toEqual(expected((row) => row.agent === agent))
    expect(await ids({ project: project! })).toEqual(expected((row) => row.project === project))
    expect(await ids({ since: new Date(updated_at!) })).toEqual(expected((row) => row.updated_at! >= updated_at!))
    expect((await ids({ limit: 3 })).length).toBe(3)
  }
})

test('rows have names, tags, pins and notes, and lists can be narrowed by them', async () => {
  const io = sampleIo()
  const [first, second] = await all(listSessions({ io, limit: 2 }))
  changeMarks(io, first!, { name: 'Mine', addTags: ['pay'], note: 'n' })
  changeMarks(io, second!, { pinned: true })
  const marked = { ...first!, title: 'Mine', name: 'Mine', tags: ['pay'], note: 'n' }
  for (const catalog of [true, false]) {
    expect(await all(listSessions({ io, tags: ['#Pay'], catalog }))).toEqual([marked])
    expect(await all(listSessions({ io, pinned: true, catalog }))).toEqual([{ ...second!, pinned: true }])
  }
  expect((await all(exportSession(first!, { io }))).join('')).toContain('\n# Mine\n')
  await expect(all(listSessions({ io, tags: ['two words'] }))).rejects.toMatchObject({ kind: 'usage' })
})

test('reads a session by row, id, prefix and native id, with and without the index', async () => {
  const io = sampleIo()
  for (const row of await all(listSessions({ io }))) {
    const items = await all(readSession(row, { io }))
    expect(items[0]).toMatchObject({ event: { type: 'session_start', session_id: row.id, agent: row.agent } })
    expect(items.filter(isProblem).length).toBe(row.problems)
    for (const [session, catalog] of [
      [row.id, true],
      [row.id.slice(0, 13), true],
      [row.native_id, true],
      [row, false],
      [row.id, false],
      [`${row.agent}:${row.native_id}`, false],
    ] as const) {
      expect(await all(readSession(session, { io, catalog }))).toEqual(items)
    }
  }
})

test('exports and shares a session, masked when asked for, and stops when aborted', async () => {
  const io = sampleIo()
  const [row] = await all(listSessions({ io, limit: 1 }))
  const events = (await all(readSession(row!, { io }))).flatMap((item) => (isProblem(item) ? [] : [item.event]))
  const log = (await all(exportSession(row!, { io, format: 'jsonl' }))).join('')
  expect(log).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  expect((await all(exportSession(row!.id, { io, format: 'html' }))).join('')).toMatch(/^<!doctype html>/)
  const shared = (await all(shareSession(row!, { io }))).join('')
  expect([shared.includes('redacted: true'), shared.includes('/home/dev')]).toEqual([true, false])
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(all(exportSession(row!, { io, signal }))).rejects.toThrow('enough')
  await expect(all(exportSession('no-such-session', { io }))).rejects.toMatchObject({ kind: 'not-found' })
})

test('searches like the command line, and reports how much was searched', async () => {
  const io = sampleIo()
  let summary: unknown
  const hits = await all(search('refund -nothinglikethis', { io, onSummary: (result) => (summary = result) }))
  expect(hits.length).toBeGreaterThan(1)
  expect(hits[0]!.snippet.slice(...hits[0]!.marks[0]!).toLowerCase()).toContain('refund')
  const sessions = await all(listSessions({ io, ...everything }))
  expect(summary).toMatchObject({ searched: sessions.length, unsearched: [], isCut: false })
  expect(await all(search(['refund'], { io, limit: 1 }))).toEqual(hits.slice(0, 1))
  const { agent } = hits[0]!.session
  expect((await all(search('refund', { io, agents: [agent] }))).every((hit) => hit.session.agent === agent)).toBe(true)
  expect(await all(search('refund', { io, roles: ['thinking'], since: '1h' }))).toEqual([])
  expect((await all(search('refund', { io, order: 'rank' }))).length).toBe(hits.length)
})

test('errors have a kind', async () => {
  const io = sampleIo()
  const kindOf = async (work: AsyncIterable<unknown>): Promise<unknown> => {
    try {
      return await all(work)
    } catch (error) {
      return error instanceof IonError ? error.kind : error
    }
  }
  expect(await kindOf(readSession('no such session', { io }))).toBe('not-found')
  expect(await kindOf(readSession('no such session', { io, catalog: false }))).toBe('not-found')
  expect(await kindOf(listSessions({ io, agents: ['nobody'] }))).toBe('not-found')
  expect(await kindOf(listSessions({ io, since: 'some day' }))).toBe('usage')
  expect(await kindOf(search('-word', { io }))).toBe('usage')
})

test('an Ion home where there can be no folder is an error, unless nothing is written there', async () => {
  const io = sampleIo()
  const options = { io: { ...io, env: { ...io.env, ION_HOME: '/dev/null/x' } }, limit: 1 }
  await expect(all(listSessions(options))).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('cannot use the index'),
  })
  expect(await all(listSessions({ ...options, catalog: false }))).toEqual(await all(listSessions({ io, limit: 1 })))
})

test.skipIf(!isRoot)("another user's Ion home is refused, unless nothing is written there", async () => {
  const io = sampleIo()
  const home = join(io.home, 'of-another-user')
  mkdirSync(home)
  chownSync(home, 12_345, 12_345)
  const options = { io: { ...io, env: { ...io.env, ION_HOME: home } }, limit: 1 }
  const [row] = await all(listSessions({ ...options, catalog: false }))
  for (const work of [listSessions(options), search('refund', options), readSession(row!.id, options)]) {
    await expect(all<unknown>(work)).rejects.toMatchObject({ kind: 'refused' })
  }
  expect(readdirSync(home)).toEqual([])
})

test('a file that cannot be read is reported', async () => {
  const io = sampleIo()
  const path = join(io.home, '.augment/sessions/broken.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'not JSON')
  for (const catalog of [true, false]) {
    const errors: unknown[] = []
    await all(listSessions({ io, catalog, onSourceError: (error) => errors.push(error) }))
    expect(errors).toEqual([{ path, problem: expect.stringContaining('not'), code: 'not_json' }])
  }
})

/** A session with `count` prompts. */
function largeSession(io: Io, count: number): string {
  const path = join(io.home, '.claude/projects/-big/b1600000-0000-4000-8000-000000000001.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const line = (n: number): string =>
    `${JSON.stringify({
      type: 'user',
      uuid: `u${n}`,
      parentUuid: n ? `u${n - 1}` : null,
      timestamp: '2026-11-15T12:00:00.000Z',
      sessionId: 'b1600000-0000-4000-8000-000000000001',
      cwd: '/big',
      message: { role: 'user', content: `prompt ${n}` },
    })}\n`
  for (let at = 0; at < count; at += 10_000) {
    appendFileSync(path, Array.from({ length: 10_000 }, (_, n) => line(at + n)).join(''))
  }
  return 'b1600000-0000-4000-8000-000000000001'
}

test('listing, reading and indexing a large session does not block the event loop', async () => {
  const io = scratchIo()
  const id = largeSession(io, 40_000)
  let longest = 0
  let last = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
  }, 1)
  await all(listSessions({ io, catalog: false }))
  let events = 0
  for await (const item of readSession(id, { io, catalog: false })) if (!isProblem(item)) events++
  const hits = await all(search('prompt 39999', { io }))
  clearInterval(timer)
  expect({ events, hits: hits.length }).toEqual({ events: 40_001, hits: 1 })
  // CPU milliseconds. A slice is 8; the rest is for one batch of texts, written at once.
  expect(longest).toBeLessThan(1500)
})

test('the loop can be left early, or aborted by a signal', async () => {
  const io = scratchIo()
  const id = largeSession(io, 20_000)
  for await (const item of readSession(id, { io })) {
    expect(item).toMatchObject({ event: { type: 'session_start' } })
    break
  }
  const controller = new AbortController()
  const seen: Item[] = []
  const reading = (async () => {
    for await (const item of readSession(id, { io, signal: controller.signal })) {
      if (seen.push(item) === 10) controller.abort()
    }
  })()
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  expect(seen.length).toBe(10)
  const aborted = AbortSignal.abort()
  await expect(all(listSessions({ io, signal: aborted }))).rejects.toMatchObject({ name: 'AbortError' })
  await expect(all(search('prompt', { io, signal: aborted }))).rejects.toMatchObject({ name: 'AbortError' })
  // Nothing stays locked or incomplete.
  rmSync(io.env.ION_HOME!, { recursive: true })
  expect((await all(listSessions({ io }))).map((row) => row.messages)).toEqual([20_000])
})

test('the command that resumes a session', async () => {
  const io = scratchIo(fileURLToPath(new URL('../agents/claude/fixtures/2.1.325', import.meta.url)))
  const bin = join(io.home, 'bin')
  const path = join(io.home, '.claude/projects/-shop/5e550000-0000-4000-8000-000000000001.jsonl')
  const cwd = join(io.home, 'shop')
  const line = { type: 'user', uuid: 'u', parentUuid: null, timestamp: '2026-11-15T12:00:00.000Z', cwd }
  for (const folder of [bin, cwd, dirname(path)]) mkdirSync(folder, { recursive: true })
  const id = '5e550000-0000-4000-8000-000000000001'
  writeFileSync(path, `${JSON.stringify({ ...line, sessionId: id, message: { role: 'user', content: 'hi' } })}\n`)
  const options = { io: { ...io, env: { ...io.env, PATH: bin } } }
  await expect(resumeCommand(id, options)).rejects.toMatchObject({ kind: 'not-installed' })
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho 2.1.325\n', { mode: 0o755 })
  expect(await resumeCommand(id, { ...options, args: ['--model', 'opus'] })).toEqual({
    agent: 'claude',
    session_id: id,
    native_id: id,
    argv: [join(bin, 'claude'), '--resume', id, '--model', 'opus'],
    cwd,
    env: { added: expect.not.objectContaining({ ION_RUN: expect.anything() }), removed: expect.any(Array) },
    files: [],
    notes: expect.any(Array),
  })
  rmSync(cwd, { recursive: true })
  await expect(resumeCommand(id, options)).rejects.toMatchObject({ kind: 'not-found' })
  await expect(resumeCommand('no-such-session', options)).rejects.toMatchObject({ kind: 'not-found' })
})

test('the schema validates events and parses lines', async () => {
  const io = sampleIo()
  const { eventSchema, parseEvent } = await loadEventSchema()
  const [row] = await all(listSessions({ io, limit: 1 }))
  for await (const item of readSession(row!, { io })) {
    if (isProblem(item)) continue
    expect(eventSchema.safeParse(item.event).success).toBe(true)
    expect(parseEvent(JSON.parse(JSON.stringify(item.event)), 1)).toEqual(item.event)
  }
  expect(() => parseEvent({ type: 'user' }, 1)).toThrow('id')
  expect(eventSchema.safeParse({}).success).toBe(false)
})

test('agents have their data paths', () => {
  const io = scratchIo()
  const claude = agents.find((agent) => agent.id === 'claude')!
  expect(claude).toMatchObject({ title: 'Claude Code', binaries: ['claude'], resume: { level: 'full' } })
  expect(claude.paths({ io }).map((place) => place.path)).toEqual([join(io.home, '.claude')])
})

test('usage counts every call once, and explains it', async () => {
  const io = sampleIo()
  const report = await usage({ io, by: 'sessions', breakdown: true })
  const [row] = report.rows
  expect(report.total.calls).toBe(report.rows.reduce((sum, { calls }) => sum + calls, 0))
  const { calls } = await explainUsage(row!.key, { io })
  expect(calls.length).toBe(row!.calls)
  expect(calls.reduce((sum, { cost }) => sum + (cost?.micros ?? 0), 0)).toBe(row!.cost)
  expect(await usage({ io, session: row!.key, catalog: false })).toMatchObject({ total: { calls: row!.calls } })
  await expect(usage({ io, timezone: 'nowhere' })).rejects.toMatchObject({ kind: 'usage' })
  expect((await usage({ io, agents: ['codex'], until: '2020-01-01' })).rows).toEqual([])
})
