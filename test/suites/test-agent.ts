import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { passageOf } from '../../src/agents/passage.ts'
import { summarise } from '../../src/agents/summarise.ts'
import { isUuid } from '../../src/events/id.ts'
import { parseEvent } from '../../src/events/log-line.ts'
import type { IonEvent } from '../../src/events/schema.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { LineCursor } from '../../src/native/line-cursor.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { listAll, readAll } from '../support/read-all.ts'
import { copyTree, scratchFolder, scratchIo, treeState } from '../support/scratch.ts'

/** What the suite must know about an agent beyond its interface. */
export interface AgentExpectations {
  /** Native ids of each fixture's sessions, by the fixture's folder name, sorted: the whole list. */
  readonly sessions: Readonly<Record<string, readonly string[]>>
  /** Makes the world for a fixture, where being the home folder is not enough. */
  readonly world?: (fixture: string) => Io
  /** Moves the store by the agent's variables: the same sessions must be found. One entry for each variable. */
  readonly overrides: readonly {
    readonly env: (io: Io, root: string) => Record<string, string>
    readonly move: readonly [from: string, to: string]
  }[]
  /** Present for stores of lines: how to damage a session's file. */
  readonly lines?: {
    /** A record that no version writes; it must come back as a `native` event. */
    readonly unknown: string
    /** The session to damage, by native id. */
    readonly session: string
  }
  /** Present for databases: writes inside an open transaction while the suite reads. Returns the end of it. */
  readonly openTransaction?: (io: Io) => () => void
  /** Bytes that listing may take for each session of the fixtures. */
  readonly listBytes?: number
  /** For a store of other agents' sessions: the agent that its heads name. */
  readonly headAgent?: string
}

/**
 * The one suite that every agent passes. An agent's test file calls it with its fixtures folder, whose sub-folders are
 * named after the version that wrote them and are each a home folder.
 */
export function testAgent(agent: Agent, fixturesUrl: URL, expected: AgentExpectations): void {
  const fixtures = fileURLToPath(fixturesUrl)
  const world = expected.world ?? ((fixture: string) => scratchIo(fixture))

  describe(`${agent.id}: conformance`, () => {
    test('every fixture is named in the expectations', () => {
      expect(readdirSync(fixtures).sort()).toEqual(Object.keys(expected.sessions).sort())
    })

    describe.each(Object.keys(expected.sessions))('fixture %s', (version) => {
      const fixture = join(fixtures, version)

      test('lists exactly its sessions, with sound heads', () => {
        const io = world(fixture)
        const { heads, problems } = listAll(agent, io)
        expect(heads.map((head) => head.native_id)).toEqual(expected.sessions[version])
        expect(problems).toEqual([])
        for (const head of heads) expectSoundHead(expected.headAgent ?? agent.id, head)
        expect(new Set(heads.map((head) => head.id)).size).toBe(heads.length)
      })

      test('listing does not read bodies', () => {
        const io = world(fixture)
        const reading = readContext(io)
        const { heads } = listAll(agent, io, reading)
        expect(reading.bytes).toBeLessThanOrEqual(heads.length * (expected.listBytes ?? 160 * 1024))
      })

      test('reads every session as valid events, twice the same, and changes nothing', () => {
        const io = world(fixture)
        const before = treeState(io.home)
        for (const head of listAll(agent, io).heads) {
          const first = readAll(agent, head, io)
          expectSoundEvents(head, first.events)
          expect(readAll(agent, head, io).items).toEqual(first.items)
        }
        expect(treeState(io.home)).toEqual(before)
      })

      test('the scanner counts and indexes what reading finds', () => {
        if (!agent.scanner) return
        const io = world(fixture)
        for (const head of listAll(agent, io).heads) expectScannerAgrees(agent, head, io)
      })
    })

    test('a missing store and an empty one give nothing', () => {
      expect(listAll(agent, scratchIo())).toEqual({ heads: [], problems: [] })
    })

    test.each(expected.overrides.map((override, index) => [index, override] as const))(
      'override %i moves the store',
      (_index, override) => {
        const version = Object.keys(expected.sessions)[0]!
        const io = world(join(fixtures, version))
        const root = scratchFolder()
        const [from, to] = override.move
        copyTree(join(io.home, from), join(root, to))
        rmSync(join(io.home, from), { recursive: true })
        const moved: Io = { ...io, env: { ...io.env, ...override.env(io, root) } }
        expect(listAll(agent, moved).heads.map((head) => head.native_id)).toEqual(expected.sessions[version])
        expect(listAll(agent, io).heads).toEqual([])
      },
    )

    if (expected.lines) testLines(agent, fixtures, world, expected, expected.lines)
    if (expected.openTransaction) testTransaction(agent, fixtures, world, expected, expected.openTransaction)
  })
}

function testLines(
  agent: Agent,
  fixtures: string,
  world: (fixture: string) => Io,
  expected: AgentExpectations,
  lines: NonNullable<AgentExpectations['lines']>,
): void {
  const version = Object.keys(expected.sessions).find((key) => expected.sessions[key]!.includes(lines.session))!
  const openSession = (): { io: Io; head: SessionHead } => {
    const io = world(join(fixtures, version))
    return { io, head: listAll(agent, io).heads.find((head) => head.native_id === lines.session)! }
  }

  test('a torn last line is not an error', () => {
    const { io, head } = openSession()
    const whole = readAll(agent, head, io)
    appendFileSync(head.path, '{"type":"user","mess')
    expect(readAll(agent, head, io)).toEqual(whole)
    if (agent.scanner) expectScannerAgrees(agent, head, io)
  })

  test('a file cut at any byte still reads, and only the torn line is missing', () => {
    const { io, head } = openSession()
    const bytes = readFileSync(head.path)
    const whole = readAll(agent, head, io).events.length
    for (const share of [0, 0.1, 0.33, 0.5, 0.77, 0.999]) {
      writeFileSync(head.path, bytes.subarray(0, Math.floor(bytes.length * share)))
      const { events } = readAll(agent, head, io)
      expect(events.length).toBeLessThanOrEqual(whole)
    }
  })

  test('a garbage line in the middle is one counted problem and costs nothing else', () => {
    const { io, head } = openSession()
    const whole = readAll(agent, head, io)
    const text = readFileSync(head.path, 'utf8')
    const cut = text.indexOf('\n', text.length / 2) + 1
    writeFileSync(head.path, `${text.slice(0, cut)}\u0000 garbage {"\n${text.slice(cut)}`)
    const reading = readContext(io)
    const damaged = readAll(agent, head, io, reading)
    expect(damaged.events.map(withoutPlace)).toEqual(whole.events.map(withoutPlace))
    expect(damaged.problems.length).toBe(whole.problems.length + 1)
    expect(reading.coverage.bad).toBeGreaterThanOrEqual(1)
    if (agent.scanner) expectScannerAgrees(agent, head, io)
  })

  test('an unknown record is kept whole as a native event', () => {
    const { io, head } = openSession()
    appendFileSync(head.path, `${lines.unknown}\n`)
    const last = readAll(agent, head, io).events.findLast((event) => event.type === 'native')
    expect(last).toMatchObject({ type: 'native', record: JSON.parse(lines.unknown) })
  })

  test('a writer that appends while Ion reads does no harm', () => {
    const { io, head } = openSession()
    const before = readAll(agent, head, io).events
    const seen: IonEvent[] = []
    for (const item of agent.read(head, readContext(io))) {
      if ('problem' in item) continue
      seen.push(item.event)
      if (seen.length === 2) appendFileSync(head.path, `${lines.unknown}\n`)
    }
    expect(seen.slice(0, before.length - 1)).toEqual(before.slice(0, before.length - 1))
  })
}

function testTransaction(
  agent: Agent,
  fixtures: string,
  world: (fixture: string) => Io,
  expected: AgentExpectations,
  openTransaction: NonNullable<AgentExpectations['openTransaction']>,
): void {
  test('reads while a transaction is open', () => {
    const io = world(join(fixtures, Object.keys(expected.sessions)[0]!))
    const before = listAll(agent, io)
    const end = openTransaction(io)
    try {
      expect(listAll(agent, io).problems).toEqual([])
      expect(listAll(agent, io).heads.map((head) => head.native_id)).toEqual(before.heads.map((head) => head.native_id))
      for (const head of listAll(agent, io).heads) expect(readAll(agent, head, io).problems).toEqual([])
    } finally {
      end()
    }
  })
}

function expectSoundHead(agent: string, head: SessionHead): void {
  expect(head.agent).toBe(agent)
  expect(isUuid(head.id), head.id).toBe(true)
  expect(existsSync(head.path), head.path).toBe(true)
  for (const time of [head.created_at, head.updated_at]) {
    if (time !== null) expect(new Date(time).toISOString()).toBe(time)
  }
  expect(head.title ?? 'x').toMatch(/^[^\n]{1,200}$/)
  expect(head.revision).not.toBe('')
}

function expectSoundEvents(head: SessionHead, events: readonly IonEvent[]): void {
  expect(events[0]).toMatchObject({ type: 'session_start', seq: 0, session_id: head.id, native_id: head.native_id })
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
  const ids = new Set(events.map((event) => event.id))
  expect(ids.size).toBe(events.length)
  for (const event of events) {
    // As it comes back from a log file.
    expect(parseEvent(JSON.parse(JSON.stringify(event)), 1)).toEqual(event)
  }
}

function withoutPlace(event: IonEvent): unknown {
  // Records without an id of their own are named after their place in the file, which moved.
  const { id: _id, parent_id: _parent, seq: _seq, ...rest } = event
  return rest
}

function expectScannerAgrees(agent: Agent, head: SessionHead, io: Io): void {
  const scanner = agent.scanner!
  if (scanner.applies?.(head) === false) return
  const { items, events } = readAll(agent, head, io)
  const state = scanner.start()
  const passages: unknown[] = []
  const cursor = new LineCursor(head.path, readContext(io))
  while (cursor.next()) {
    scanner.count(state, cursor)
    passages.push(...scanner.passages(cursor))
  }
  cursor.close()
  expect({ path: head.path, ...scanner.summary(state) }).toEqual({ path: head.path, ...summarise(items) })
  // session_start is no line of the file.
  expect(passages).toEqual(events.slice(1).flatMap((event) => passageOf(event) ?? []))
}
