import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type AgentExpectations, testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { isEvent } from '../../events/item.ts'
import { eventTypes, type IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

const main = '0fe6896a-e4fd-46d8-a264-80066bf59f1c'
const subAgent = '88888888-8888-4888-8888-888888888888/agent-a9a571e6b3e54badd'

/** The archive in its default folder: a scratch environment sets another one. */
function inHome(fixture: string): Io {
  const io = scratchIo(fixture)
  const { ION_HOME: _ours, ...env } = io.env
  return { ...io, env }
}

const AS_STORED = 'the log has events, not records'

const shared: Omit<AgentExpectations, 'sessions'> = {
  world: inHome,
  meaning: {},
  // The events are compared with the file, line by line, below.
  lacks: { typed: AS_STORED, tokens: AS_STORED, failed: AS_STORED, branches: AS_STORED },
  overrides: [
    { env: (_io, root) => ({ ION_HOME: root }), move: ['.ion', '.'] },
    { env: (_io, root) => ({ CODER_MODULE_DATA_DIR: root }), move: ['.ion', 'ion'] },
  ],
}

testAgent(agent, new URL('./fixtures/claude/', import.meta.url), {
  ...shared,
  sessions: { v1: [main, subAgent] },
  headAgent: 'claude',
  lines: {
    session: main,
    unknown: '{"type":"dream","seq":26,"id":"d1","parent_id":"end","timestamp":"2026-11-15T21:00:01.000Z","content":7}',
  },
})

testAgent(agent, new URL('./fixtures/goose/', import.meta.url), {
  ...shared,
  sessions: { v1: ['20261115_12', '20261115_3'] },
  headAgent: 'goose',
})

const archive = (name: string): Io => inHome(fileURLToPath(new URL(`./fixtures/${name}/v1`, import.meta.url)))
const headOf = (io: Io, native: string): SessionHead =>
  listAll(agent, io).heads.find((head) => head.native_id === native)!
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean)

describe('ion: archive', () => {
  test('returns the stored events of every type unchanged', () => {
    const io = archive('claude')
    const head = headOf(io, main)
    const { events, problems } = readAll(agent, head, io)
    expect(problems).toEqual([])
    expect(events).toEqual(linesOf(head.path).map((line) => JSON.parse(line)))
    expect([...new Set(events.map((event) => event.type))].sort()).toEqual(eventTypes.toSorted())
  })

  test('gives the position of each event', () => {
    const io = archive('goose')
    const head = headOf(io, '20261115_12')
    const bytes = readFileSync(head.path)
    for (const item of agent.read(head, readContext(io))) {
      if (!isEvent(item)) throw new Error('not an event')
      const { offset, length, path } = item.span!
      expect([path, JSON.parse(bytes.toString('utf8', offset, offset + length))]).toEqual([head.path, item.event])
    }
  })

  test('heads are those of the agents that made the sessions', () => {
    const io = archive('claude')
    const { bytes: _bytes, revision: _revision, ...head } = headOf(io, subAgent)
    expect(head).toEqual({
      id: '76e15879-7874-5af7-aeb8-26c14b3eef6b',
      agent: 'claude',
      native_id: subAgent,
      path: join(io.home, '.ion/sessions/3cf9aa450fdc1576/76e15879-7874-5af7-aeb8-26c14b3eef6b.jsonl'),
      title: 'sub',
      cwd: '/home/dev1/projects/shop',
      created_at: '2026-11-15T18:58:01.502Z',
      updated_at: '2026-11-15T18:58:01.694Z',
      model: 'claude-opus-5-5',
      agent_version: '2.1.325',
      format: 'ion-v1',
      resumable: false,
      git: { branch: 'main' },
      parent_session: '88888888-8888-4888-8888-888888888888',
      spawned_by: 'toolu_stubahh00003l',
    })
    expect(agent.resumeCommand(headOf(io, subAgent))).toBeUndefined()
  })

  test('finds the end after megabytes without reading them', () => {
    const io = archive('goose')
    const { path } = headOf(io, '20261115_12')
    const event = { type: 'thinking', id: 'long', parent_id: null, seq: 7, timestamp: '2026-11-16T08:00:00.000Z' }
    appendFileSync(path, `${JSON.stringify({ ...event, content: 'x'.repeat(3e6) })}\n`)
    const guess = { ...event, id: 'g', seq: 9, timestamp: '2026-11-18T08:00:00.000Z', timestamp_guessed: true }
    appendFileSync(path, `${JSON.stringify({ ...event, id: 'n', seq: 8, content: '' })}\n${JSON.stringify(guess)}\n`)
    const reading = readContext(io)
    const { heads } = listAll(agent, io, reading)
    expect(heads.map((head) => head.updated_at)).toEqual(['2026-11-16T08:00:00.000Z', '2026-11-15T19:00:51.000Z'])
    expect(reading.bytes).toBeLessThan(100_000)
  })
})

describe('ion: bad logs', () => {
  test('lines that are not events are counted problems in their place', () => {
    const io = archive('goose')
    const head = headOf(io, '20261115_12')
    const whole = readAll(agent, head, io).events
    const base = { id: 'x', parent_id: null, seq: 7, timestamp: '2026-11-15T21:00:00.000Z' }
    const bad = [
      { ...base, content: 'no type' },
      { ...base, type: 'user', content: 'no id', id: 5 },
      { ...base, type: 'user', content: 'no seq', seq: -1 },
      { ...base, type: 'user', content: 'no time', timestamp: null },
      { ...base, type: 'user' },
      { ...base, type: 'assistant', content: 'not blocks' },
      { ...base, type: 'tool_use', name: 7 },
      { ...base, type: 'tool_result', content: 'of nothing' },
      { ...base, type: 'compaction', summary: 's' },
      { ...base, type: 'toString' },
    ]
    appendFileSync(head.path, bad.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const reading = readContext(io)
    const { events, problems } = readAll(agent, head, io, reading)
    expect(events).toEqual([
      ...whole,
      { ...base, type: 'native', record: { ...base, type: 'toString' } } satisfies IonEvent,
    ])
    expect(problems.map(({ problem, line }) => [line, problem])).toEqual([
      [8, 'an event without a type'],
      [9, 'an event without an id'],
      [10, 'an event without a seq'],
      [11, 'an event without a timestamp'],
      [12, 'an event of type user without what it says'],
      [13, 'an event of type assistant without what it says'],
      [14, 'an event of type tool_use without what it says'],
      [15, 'an event of type tool_result without what it says'],
      [16, 'an event of type compaction without what it says'],
    ])
    expect(reading.coverage).toEqual({ known: 7, skipped: 0, native: 1, bad: 9 })
  })

  test('a log of a newer Ion is not read at all, and the problem says to update Ion', () => {
    const io = archive('goose')
    const head = headOf(io, '20261115_12')
    writeFileSync(head.path, readFileSync(head.path, 'utf8').replace('"v":1', '"v":2'))
    const newer = 'format version 2 is newer than this Ion, which reads up to 1; update Ion'
    expect(listAll(agent, io).problems).toEqual([
      { code: 'unknown_format', problem: `cannot read: ${newer}`, path: head.path },
    ])
    expect(readAll(agent, head, io)).toMatchObject({
      events: [],
      problems: [{ problem: newer, path: head.path, line: 1, offset: 0 }],
    })
  })

  test('a log without its header is not listed, but can be read by its path', () => {
    const io = archive('goose')
    const head = headOf(io, '20261115_12')
    const whole = readAll(agent, head, io).events
    const [, ...rest] = linesOf(head.path)
    writeFileSync(head.path, `${rest.join('\n')}\n`)
    expect(listAll(agent, io).problems).toEqual([
      { code: 'invalid_record', problem: 'cannot read: the first line is not a header', path: head.path },
    ])
    const { events, problems } = readAll(agent, head, io)
    expect(events).toEqual(whole.slice(1))
    expect(problems).toEqual([
      { code: 'invalid_record', problem: 'the first line is not a header', path: head.path, line: 1, offset: 0 },
    ])
  })

  test('only files named after their own session are read', () => {
    const io = archive('goose')
    const { path } = headOf(io, '20261115_12')
    const folder = dirname(path)
    const stranger = join(folder, '11111111-2222-4333-8444-555555555555.jsonl')
    renameSync(path, stranger)
    writeFileSync(join(folder, '..passwd.jsonl'), '')
    mkdirSync(join(folder, '66666666-2222-4333-8444-555555555555.jsonl'))
    const { heads, problems } = listAll(agent, io)
    expect(heads.map((head) => head.native_id)).toEqual(['20261115_3'])
    expect(problems).toEqual([
      { code: 'invalid_record', problem: 'not named after a session', path: join(folder, '..passwd.jsonl') },
      {
        code: 'invalid_record',
        problem: 'cannot read: the header is of another session (5c40a768-7b73-5efd-8d27-40254c87f5ab)',
        path: stranger,
      },
      {
        code: 'not_regular_file',
        problem: 'a folder where a file should be',
        path: join(folder, '66666666-2222-4333-8444-555555555555.jsonl'),
      },
    ])
  })
})
