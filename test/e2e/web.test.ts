import { appendFileSync, cpSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { run as doctor } from '../../src/cli/commands/doctor/run.ts'
import type { Check } from '../../src/doctor/check.ts'
import { usage } from '../../src/library/usage.ts'
import type { Io } from '../../src/platform/io.ts'
import { type Database, openDatabase } from '../../src/platform/sqlite.ts'
import type {
  Filters,
  PromptList,
  RawWindow,
  SearchLine,
  SessionChanges,
  SessionDetail,
  SessionPage,
  SessionUsage,
  SharedSession,
  TranscriptWindow,
} from '../../src/server/browse/contract.ts'
import type { TopRows, UsageOverview } from '../../src/usage/overview.ts'
import { setPrice } from '../../src/usage/prices/overrides.ts'
import type { UsageRow } from '../../src/usage/report.ts'
import { tokenCount } from '../../src/usage/sums.ts'
import { fakeContext } from '../support/fake-terminal.ts'
import { sampleIo } from '../support/sample-home.ts'
import { scratchIo, treeState } from '../support/scratch.ts'
import { until } from '../support/wait-until.ts'
import { claudeLines } from './claude-session.ts'
import { webServer } from './web-world.ts'

function fileOf(io: Io, id: string): string {
  return join(io.home, '.claude/projects/-made', `${id}.jsonl`)
}

function idOf(n: number): string {
  return `3f2a0000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

function write(io: Io, id: string, lines: readonly string[]): string {
  const path = fileOf(io, id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Statements that are prepared on any database from now on. */
function countStatements(): string[] {
  const seen: string[] = []
  const database = openDatabase(':memory:')
  const prototype = Object.getPrototypeOf(database) as Database
  const prepare = prototype.prepare
  vi.spyOn(prototype, 'prepare').mockImplementation(function (this: Database, sql: string) {
    seen.push(sql)
    return prepare.call(this, sql)
  })
  database.close()
  return seen
}

test('the first list of 2,500 sessions is one query and up to 60 KB, and pages give each session once', async () => {
  const io = scratchIo()
  for (let n = 0; n < 2500; n++) {
    write(io, idOf(n), claudeLines({ id: idOf(n), prompt: `prompt ${n} ${'of some length '.repeat(4)}` }))
  }
  const { get, json, index } = await webServer(io)
  await index.freshEnough()
  const statements = countStatements()
  // Comparing the stores is other work, done before; within a second it is not done again.
  vi.spyOn(index, 'freshEnough').mockResolvedValue()
  const first = await get('/api/sessions')
  const text = await first.text()
  expect(statements).toEqual([expect.stringContaining('SELECT')])
  expect(text.length).toBeLessThan(60_000)
  vi.restoreAllMocks()
  const seen = new Set<string>()
  let next: string | null = ''
  while (next !== null) {
    const page: SessionPage = await json(`/api/sessions?limit=500${next === '' ? '' : `&after=${next}`}`)
    expect(page.total).toBe(2500)
    for (const { id } of page.sessions) seen.add(id)
    next = page.next
  }
  expect(seen.size).toBe(2500)
  const found = await json<SessionPage>('/api/sessions?words=PROMPT%201234%20&limit=10')
  expect([found.total, found.sessions[0]?.id]).toEqual([1, idOf(1234)])
})

test('a row says what could not be read, and that a price is missing, until the user sets it', async () => {
  const io = scratchIo()
  const used = (n: number, model: string, output_tokens: number): string => {
    const usage = { input_tokens: 0, output_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const lines = claudeLines({ id: idOf(n), model }).map((line) => {
      const record = JSON.parse(line) as { type: string; message: object }
      const message = { ...record.message, id: `m${n}`, usage }
      return record.type === 'assistant' ? JSON.stringify({ ...record, message }) : line
    })
    return write(io, idOf(n), lines)
  }
  used(1, 'claude-opus-4-5-20251101', 10)
  used(2, 'made-up-model', 10)
  used(3, 'made-up-model', 0)
  const damaged = used(4, 'claude-opus-4-5-20251101', 10)
  appendFileSync(damaged, '{"type":"user","uuid"\n{"a\n')
  const { json } = await webServer(io)
  const gaps = async (path: string): Promise<unknown> =>
    (await json<SessionPage>(path)).sessions.map(({ id, problems, unpriced }) => [id, problems, unpriced])
  const list = [
    [idOf(1), undefined, undefined],
    [idOf(2), undefined, true],
    [idOf(3), undefined, undefined],
    [idOf(4), 2, undefined],
  ]
  expect(await gaps('/api/sessions')).toEqual(list)
  // Counted with the list, or counted before.
  expect(await gaps('/api/sessions')).toEqual(list)
  expect(await gaps('/api/sessions?words=claude')).toEqual(list)
  expect(await json<SessionDetail>(`/api/sessions/${idOf(2)}`)).toMatchObject({ unpriced: true, problems: 0 })
  expect(await json<UsageOverview>('/api/usage')).toMatchObject({ unpriced: [{ model: 'made-up-model', tokens: 10 }] })
  setPrice(io, 'made-up-model', { input: 1, output: 2 }, null)
  expect(await gaps('/api/sessions')).toEqual(list.map(([id, problems]) => [id, problems, undefined]))
  expect(await json<UsageOverview>('/api/usage')).toMatchObject({ unpriced: [] })
})

/** A file of that many megabytes; each turn is a prompt, a call, its result and an answer. */
function writeLarge(io: Io, id: string, megabytes: number): { readonly path: string; readonly turns: number } {
  const path = write(io, id, [])
  const file = openSync(path, 'w')
  const padding = 'x'.repeat(20_000)
  let turns = 0
  for (let size = 0; size < megabytes * 1e6; turns++) {
    const lines = claudeLines({
      id,
      prompt: `prompt ${turns}`,
      tool: { name: 'Bash', input: { command: `run ${turns}` }, output: padding },
    })
    const text = lines
      .map((line) => line.replaceAll(/"u(\d)"/g, `"u${turns}-$1"`).replaceAll('"t1"', `"t${turns}"`))
      .map((line) => (turns === 0 ? line : line.replace('"parentUuid":null', `"parentUuid":"u${turns - 1}-3"`)))
      .join('\n')
    size += writeSync(file, `${text}\n`)
  }
  return { path, turns }
}

test('a session of 200 MB opens by reading its window only, and scrolls through all of it', { tags: ['deep'] }, () =>
  checkWindows(200),
)

test('a session of 20 MB opens by reading its window only', () => checkWindows(20))

async function checkWindows(megabytes: number): Promise<void> {
  const io = scratchIo()
  const id = idOf(1)
  const { path, turns } = writeLarge(io, id, megabytes)
  const reads: number[] = []
  const { json, changes } = await webServer(io, { onRead: (bytes) => reads.push(bytes) })
  const end = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=50`)
  const read = reads.reduce((sum, bytes) => sum + bytes, 0)
  expect(end.entries).toHaveLength(50)
  expect(end.after).toBeNull()
  expect(end.entries.at(-1)?.event).toBe(`u${turns - 1}-3`)
  // The window, the last lines for the follower, and the chunk in which each of them ends.
  expect(read).toBeLessThan(4e6)
  // Calls have their results, also where a window ends between the two.
  const before = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=50&before=${end.before}`)
  const entries = [...before.entries, ...end.entries]
  expect(new Set(entries.map(({ event }) => event)).size).toBe(entries.length)
  for (const { part, result } of entries) {
    if (part.type === 'tool_use') expect(result?.tool_use_id).toBe(part.id)
  }
  const last = before.entries.at(-1)!
  const next = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=3&after=${before.after}`)
  expect(next.entries[0]?.event).toBe(end.entries[0]?.event)
  const around = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=10&around=${last.event}`)
  expect(around.entries.map(({ event }) => event)).toContain(last.event)
  const prompts = await json<PromptList>(`/api/sessions/${id}/prompts`)
  expect(prompts.prompts.at(-1)?.text).toBe(`prompt ${turns - 1}`)
  expect(prompts.from).not.toBeNull()
  const start = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=10&after=start`)
  expect([start.before, start.entries[0]?.event]).toEqual([null, 'u0-0'])
  const earlier = await json<PromptList>(`/api/sessions/${id}/prompts?before=${prompts.from}`)
  expect(earlier.prompts.at(-1)?.text).toBe(`prompt ${turns - prompts.prompts.length - 1}`)
  // What is appended is one delta of one entry, and not the file again.
  const feed = await changes(id)
  reads.length = 0
  const added = claudeLines({ id, prompt: 'one more' })[0]!
  appendFileSync(
    path,
    `${added.replaceAll('"u0"', '"new"').replace('"parentUuid":null', `"parentUuid":"u${turns - 1}-3"`)}\n`,
  )
  const entriesOf = () => feed.events.filter(({ type }) => type === 'entries')
  await until(() => expect(entriesOf()).toHaveLength(1))
  expect(entriesOf()).toEqual([
    { type: 'entries', session: id, entries: [expect.objectContaining({ event: 'new', role: 'user' })] },
  ])
  expect(reads).toEqual([])
}

test('an append costs one delta within a second; while nothing happens nothing is sent or read', async () => {
  const io = scratchIo()
  const id = idOf(1)
  const path = write(io, id, claudeLines({ id, tool: { name: 'Bash', input: { command: 'ls' }, output: 'a' } }))
  const { changes, json, index } = await webServer(io)
  const window = await json<TranscriptWindow>(`/api/sessions/${id}/transcript`)
  expect(window.entries.map(({ part }) => part.type)).toEqual(['text', 'tool_use', 'text'])
  const feed = await changes(id)
  const refresh = vi.spyOn(index.catalog, 'refreshSteps')
  const quiet = feed.text()
  // That nothing happens can only be seen by waiting.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const ready = { type: 'ready', session: id, version: window.version }
  expect([feed.text(), feed.events, refresh.mock.calls.length]).toEqual([quiet, [ready], 0])
  const deltas = () => feed.events.filter(({ type }) => type === 'entries')
  const waits: number[] = []
  for (const [place, event] of ['u4', 'u5', 'u6'].entries()) {
    const began = performance.now()
    const [line] = claudeLines({ id, prompt: 'more' })
    appendFileSync(path, `${line!.replace('"u0"', `"${event}"`).replace('null', `"u${place + 3}"`)}\n`)
    await until(() => expect(deltas()).toHaveLength(place + 1))
    waits.push(performance.now() - began)
    expect(deltas()[place]).toEqual({ type: 'entries', session: id, entries: [expect.objectContaining({ event })] })
  }
  // The shortest, since a busy machine may make any of them wait.
  expect(Math.min(...waits)).toBeLessThan(1000)
  await until(() => expect(feed.events.some(({ type }) => type === 'sessions')).toBe(true))
})

test.each([0, 5])(
  'what is written before a session is followed changes its version, also in %d MB',
  async (megabytes) => {
    const io = scratchIo()
    const id = idOf(1)
    const { path, turns } = writeLarge(io, id, Math.max(0.001, megabytes))
    const { json, changes } = await webServer(io)
    const open = (): Promise<TranscriptWindow> => json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=50`)
    const readyOf = async (): Promise<unknown> => {
      const feed = await changes(id)
      await until(() => expect(feed.events).toContainEqual(expect.objectContaining({ type: 'ready', session: id })))
      return (feed.events.find(({ type }) => type === 'ready') as { version: string }).version
    }
    const window = await open()
    expect(await readyOf()).toBe(window.version)
    const added = claudeLines({ id, prompt: 'late' })[0]!
    const last = `"parentUuid":"u${turns - 1}-3"`
    appendFileSync(path, `${added.replaceAll('"u0"', '"late"').replace('"parentUuid":null', last)}\n`)
    // Whoever asks for anything of it finds the new line first.
    await json(`/api/sessions/${id}/prompts`)
    expect(await readyOf()).not.toBe(window.version)
    expect((await open()).entries.at(-1)?.event).toBe('late')
  },
)

test('every sample session of every agent opens, with prompts, changes, raw events and coverage', async () => {
  const io = sampleIo()
  const before = treeState(io.home)
  const { json } = await webServer(io)
  const { sessions, total } = await json<SessionPage>('/api/sessions?subagents=1&hidden=1')
  expect(sessions.length).toBe(total)
  const filters = await json<Filters>('/api/filters')
  expect(new Set(sessions.map(({ agent }) => agent)).size).toBe(filters.agents.length)
  for (const { id, agent } of sessions) {
    const detail = await json<SessionDetail>(`/api/sessions/${id}`)
    expect(detail).toMatchObject({ id, agent, resume_command: `ion --resume ${id}` })
    const window = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=500`)
    expect([id, window.entries.length > 0]).toEqual([id, true])
    const prompts = await json<PromptList>(`/api/sessions/${id}/prompts`)
    const users = window.entries.filter(({ role, within }) => role === 'user' && !within)
    expect(prompts.prompts.map(({ event }) => event)).toEqual(users.map(({ event }) => event))
    // One entry after the other gives the same as all at once.
    const first = window.entries[0]!.event
    const rest = await json<TranscriptWindow>(
      `/api/sessions/${id}/transcript?limit=500&after=${encodeURIComponent(first)}`,
    )
    expect(rest.entries).toEqual(window.entries.slice(1))
    const start = await json<TranscriptWindow>(`/api/sessions/${id}/transcript?limit=1&after=start`)
    expect(start.entries).toEqual(window.entries.slice(0, 1))
    const whole = await json<RawWindow>(`/api/sessions/${id}/raw?limit=500`)
    const lines: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const part: RawWindow = await json(`/api/sessions/${id}/raw?limit=2${query}`)
      lines.push(...part.lines)
      after = part.after
    }
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
      whole.lines.map((line) => (JSON.parse(line) as { id: string }).id),
    )
  }
  expect(treeState(io.home)).toEqual(before)
})

test('sessions of two agents with the same id are two sessions, by their agents', async () => {
  const fixture = (agent: string, version: string): string =>
    join(import.meta.dirname, '../../src/agents', agent, 'fixtures', version)
  const io = scratchIo(fixture('amazon-q', 'handmade-1.19.7'))
  cpSync(fixture('kiro', 'handmade-2.28.0'), io.home, { recursive: true })
  const { json, changes, post } = await webServer(io)
  const { sessions } = await json<SessionPage>('/api/sessions?limit=500')
  const shared = sessions.filter(({ id }) => id.includes(':'))
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(sessions.length)
  expect(shared.length).toBeGreaterThan(4)
  for (const { id, agent } of shared) {
    expect(await json(`/api/sessions/${encodeURIComponent(id)}`)).toMatchObject({
      ...{ id, agent, resume_command: `ion --resume ${id}` },
    })
    expect((await json<TranscriptWindow>(`/api/sessions/${id}/transcript`)).entries.length).toBeGreaterThan(0)
  }
  const [one, other] = shared
  const words = await json<SessionPage>(`/api/sessions?words=${encodeURIComponent(one!.id.split(':')[1]!)}`)
  expect(words.sessions.map(({ id }) => id)).toEqual(expect.arrayContaining([one!.id]))
  const feed = await changes(one!.id)
  await post(`/api/sessions/${other!.id}/marks`, { pinned: true })
  await until(() =>
    expect(feed.events).toContainEqual(
      expect.objectContaining({ changed: [expect.objectContaining({ id: other!.id, pinned: true })] }),
    ),
  )
})

test('changes, coverage, sharing, export and search answer as the command line does', async () => {
  const io = sampleIo()
  const { json, get } = await webServer(io)
  const { sessions } = await json<SessionPage>('/api/sessions?words=refund%20twice')
  const { id } = sessions[0]!
  const changes = await json<SessionChanges>(`/api/sessions/${id}/changes`)
  expect(changes.files.length).toBeGreaterThan(0)
  expect(changes.files[0]!.edits[0]).toMatchObject({ kind: 'edited', diff: expect.stringContaining('+') })
  expect((await json<SessionChanges>(`/api/sessions/${id}/changes?turn=1`)).files).toEqual([])
  expect(await json(`/api/sessions/${id}/coverage`)).toMatchObject({ native: 0, bad: 0 })
  const shared = await json<SharedSession>(`/api/sessions/${id}/share`)
  expect(shared.masked.length).toBeGreaterThan(0)
  expect(shared.text).not.toContain('pay_4f9c21e7ab3058d6f1c4e2b79a60d813')
  const exported = await get(`/api/sessions/${id}/export?format=html`)
  expect(exported.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.html"$/)
  expect(await exported.text()).toContain('</html>')
  const lines = (await (await get('/api/search?q=refund')).text()).trim().split('\n')
  const found = lines.map((line) => JSON.parse(line) as SearchLine)
  expect(found.filter((line) => 'hit' in line).length).toBeGreaterThan(1)
  expect(found.at(-1)).toHaveProperty('done')
  const bad = await get('/api/search?q=since:never')
  expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('is not a time')])
  const path = changes.files[0]!.path
  const files = (await (await get(`/api/files?path=${encodeURIComponent(path)}`)).text()).trim().split('\n')
  expect(JSON.parse(files[0]!)).toMatchObject({ session: { id }, path })
  expect(JSON.parse(files.at(-1)!)).toEqual({ done: true })
})

test('the doctor says what it says on the command line, problems first', async () => {
  const io = { ...sampleIo(), now: () => new Date() }
  writeFileSync(join(io.home, '.local/share/goose/sessions/sessions.db'), 'garbage')
  const { json } = await webServer(io)
  const checks = await json<Check[]>('/api/doctor')
  const context = fakeContext(io)
  await doctor([undefined], { json: true, full: false }, context)
  const expected = context.out.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Check)
  // Free disk space and the time change.
  const lasting = (all: readonly Check[]) => all.filter(({ name }) => name !== 'clock' && name !== 'disk space')
  expect(lasting(checks)).toEqual(lasting(expected))
  expect(checks.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort())
  expect(checks[0]).toMatchObject({ verdict: 'bad', name: 'unreadable', fix: expect.any(String) })
})

test('names, tags, pins and notes are written, and open pages get the row', async () => {
  const io = sampleIo()
  const { json, post, changes } = await webServer(io)
  const feed = await changes()
  const { id } = (await json<SessionPage>('/api/sessions')).sessions[0]!
  const answer = await post(`/api/sessions/${id}/marks`, { name: 'mine', pinned: true, add_tags: ['a'], note: 'why' })
  expect(await answer.json()).toMatchObject({ title: 'mine', pinned: true, tags: ['a'], note: 'why' })
  await until(() =>
    expect(feed.events).toContainEqual(
      expect.objectContaining({ type: 'sessions', changed: [expect.objectContaining({ id, title: 'mine' })] }),
    ),
  )
  // A note is not in the row, but that something was changed is.
  const before = feed.events.length
  await post(`/api/sessions/${id}/marks`, { note: 'another' })
  await until(() => expect(feed.events.length).toBeGreaterThan(before))
  const pinned = await json<SessionPage>('/api/sessions?pinned=1&tag=a')
  expect(pinned.sessions.map((session) => session.id)).toEqual([id])
})

test('usage is that of the library, and every call of a session is explained', async () => {
  const io = sampleIo()
  const { json } = await webServer(io)
  const overview = await json<UsageOverview>('/api/usage')
  const [daily, models, agents, projects, sessions] = await Promise.all(
    (['daily', 'models', 'agents', 'projects', 'sessions'] as const).map((by) => usage({ io, by })),
  )
  const { by: _, rows, ...facts } = daily!
  expect(overview).toMatchObject(facts)
  const sums = (users: Pick<UsageRow, 'key' | 'cost' | 'tokens'>[]) =>
    users.map((row) => ({ key: row.key, cost: row.cost, tokens: tokenCount(row) })).sort(byKey)
  const shown = ({ rows: users }: TopRows) => users.map(({ key, cost, tokens }) => ({ key, cost, tokens })).sort(byKey)
  const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)
  expect(shown(overview.models)).toEqual(sums([...models!.rows]))
  expect(shown(overview.agents)).toEqual(sums([...agents!.rows]))
  expect(shown(overview.projects)).toEqual(sums([...projects!.rows]))
  expect(overview.sessions.count).toBe(sessions!.rows.length)
  expect(sums([...sessions!.rows])).toEqual(expect.arrayContaining(shown(overview.sessions)))
  const days = overview.days.map(({ day, parts }) => ({
    key: day,
    cost: parts.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  }))
  expect(days).toEqual(sums([...rows]).map((row) => ({ ...row, cost: row.cost ?? 0 })))

  // Of one agent, and the sessions of one day.
  const ofAgent = await json<UsageOverview>('/api/usage?agent=claude&day=2026-10-21')
  expect(ofAgent.agents.rows.map(({ key }) => key)).toEqual(['claude'])
  const ofDay = await usage({ io, by: 'sessions', agents: ['claude'], since: '2026-10-21', until: '2026-10-21' })
  expect(shown(ofAgent.sessions)).toEqual(sums([...ofDay.rows]))
  expect(ofAgent.sessions.rows.map(({ title }) => title)).toEqual(ofDay.rows.map(({ title }) => title))

  const [row] = sessions!.rows
  const { calls, more, total } = await json<SessionUsage>(`/api/sessions/${row!.key}/usage`)
  const counted = calls.filter(({ why_not }) => why_not === null)
  expect([counted.length, more]).toEqual([row!.calls, 0])
  expect(counted.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(row!.cost)
  const { cache_write_1h, ...tokens } = row!.tokens
  expect(total).toEqual({ calls: row!.calls, tokens: expect.objectContaining(tokens), cost: row!.cost, unpriced: 0 })
  expect(total.tokens.cache_write_1h ?? 0).toBe(cache_write_1h)
})

test('the figures of a session with many calls are those of all of them, although the last ones are listed', async () => {
  const io = scratchIo()
  const id = idOf(1)
  const answer = JSON.parse(claudeLines({ id }).at(-1)!) as { message: object }
  const lines = Array.from({ length: 1200 }, (_, n) => {
    const usage = { input_tokens: 1000, output_tokens: 100 }
    const message = { ...answer.message, id: `msg_${n}`, model: 'claude-opus-4-8', usage }
    const parentUuid = n === 0 ? null : `a${n - 1}`
    return JSON.stringify({ ...answer, uuid: `a${n}`, parentUuid, requestId: `req_${n}`, message })
  })
  write(io, id, lines)
  const { json } = await webServer(io)
  const { calls, more, total } = await json<SessionUsage>(`/api/sessions/${id}/usage`)
  expect([calls.length, more]).toEqual([500, 700])
  const { total: all } = await usage({ io })
  expect(total).toMatchObject({ calls: 1200, cost: all.cost, unpriced: 0 })
  expect([total.tokens.input, all.calls]).toEqual([1_200_000, 1200])
})

test('a server that stops during a search ends it, and nothing is asked of the closed index', async () => {
  const { get, index } = await webServer(sampleIo())
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { catalog } = index
  vi.spyOn(catalog, 'searchSteps').mockImplementation(function* () {
    // As long as there are sessions to look through.
    for (;;) {
      catalog.overview()
      yield undefined
    }
  })
  const answer = await get('/api/search?q=nothing')
  index.close()
  expect(await answer.text()).not.toContain('"done":{')
  expect(print.mock.calls).toEqual([])
})
