import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { passageOf } from '../../src/agents/passage.ts'
import { summarise } from '../../src/agents/summarise.ts'
import { mayMatch } from '../../src/catalog/search/may-match.ts'
import { isUuid } from '../../src/events/id.ts'
import { type Item, isEvent } from '../../src/events/item.ts'
import { parseEvent } from '../../src/events/log-line.ts'
import type { IonEvent } from '../../src/events/schema.ts'
import { noTokens, type SessionHead } from '../../src/events/session.ts'
import { contentText } from '../../src/events/text.ts'
import { needlesOf } from '../../src/native/byte-search/needle.ts'
import { LineCursor } from '../../src/native/line-cursor.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { partPath } from '../../src/vault/part-content.ts'
import { type Move, moveFolder } from '../../src/vault/path-rewrite.ts'
import { restore } from '../../src/vault/restore.ts'
import { Vault } from '../../src/vault/vault.ts'
import { expectSameCalls } from '../support/model-calls.ts'
import { listAll, readAll } from '../support/read-all.ts'
import { copyTree, filesBelow, scratchFolder, scratchIo, treeState } from '../support/scratch.ts'

/** What the author of an adapter found by looking at the stored session, not by running the adapter. */
export interface SessionMeaning {
  /** Exactly what the user typed, in order: nothing that the program put there, no `!command`. */
  readonly typed?: readonly string[]
  /** Sum of the tokens that the session cost; counts that are left out are 0. */
  readonly tokens?: Partial<typeof noTokens>
  /** Ids of the tool calls that failed; every other result of the session is not an error. */
  readonly failed?: readonly string[]
  /** Every event whose parent is not the event before it, with its parent. */
  readonly branches?: Readonly<Record<string, string | null>>
}

/** What the suite must know about an agent beyond its interface. */
export interface AgentExpectations {
  /** Native ids of each fixture's sessions, by the fixture's folder name, sorted: the complete list. */
  readonly sessions: Readonly<Record<string, readonly string[]>>
  /** What some of the sessions mean, by native id. Each field must be stated for one of them, or be in `lacks`. */
  readonly meaning: Readonly<Record<string, SessionMeaning>>
  /** Why no session of the agent can state a field: `{ tokens: 'it stores no token counts' }`. */
  readonly lacks?: Partial<Record<keyof SessionMeaning, string>>
  /** Fixtures whose sessions do not follow their folder when they are restored into another home, and why. */
  readonly staysPut?: Readonly<Record<string, string>>
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
    /** Why a record may say something else, or more, while those after it are missing. */
    readonly revises?: string
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

      test.skipIf(!agent.scanner)('the scanner counts and indexes what reading finds', () => {
        const io = world(fixture)
        for (const head of listAll(agent, io).heads) expectScannerAgrees(agent, head, io)
      })

      test('the bytes of a session show all words of its text', () => {
        const io = world(fixture)
        for (const head of listAll(agent, io).heads) expectFoundByBytes(agent, head, io)
      })
    })

    testMeaning(agent, fixtures, world, expected)
    testBackup(agent, fixtures, world, expected)

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

const PLACEHOLDER = /\[(?:image|file)[^\]]*\]/g

/** Search may skip a session by its bytes: never one whose text has the word. */
function expectFoundByBytes(agent: Agent, head: SessionHead, io: Io): void {
  const texts = readAll(agent, head, io).events.flatMap((event) => passageOf(event)?.text ?? [])
  // What Ion writes in place of a picture or a file is not in the store, nor the signs with which it joins names.
  const words = new Set(texts.flatMap((text) => text.replaceAll(PLACEHOLDER, '').match(/[\p{L}\p{N}_]{2,}/gu) ?? []))
  const located = { head, reader: agent }
  const missed = [...words].filter((word) => !mayMatch(located, needlesOf(word), readContext(io)))
  expect(missed).toEqual([])
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

  test('a file cut at any byte loses the events of what is cut off, and nothing else', () => {
    const { io, head } = openSession()
    const bytes = readFileSync(head.path)
    const items = readAll(agent, head, io).items.filter(isEvent)
    for (const cut of cuts(bytes)) {
      writeFileSync(head.path, bytes.subarray(0, cut))
      const left = items.filter(({ span }) => span?.path !== head.path || span.offset + span.length <= cut)
      const found = readAll(agent, head, io).items
      if (lines.revises === undefined) expect(found.map(eventOf), `cut at ${cut}`).toEqual(left.map(eventOf))
      else expect(found.map(idOf), `cut at ${cut}`).toEqual(expect.arrayContaining(left.map(idOf)))
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
      if (!isEvent(item)) continue
      seen.push(item.event)
      if (seen.length === 2) appendFileSync(head.path, `${lines.unknown}\n`)
    }
    expect(seen.slice(0, before.length - 1)).toEqual(before.slice(0, before.length - 1))
  })
}

/** Every byte of a small file; of a larger one the ends of its lines, the bytes around them, and some in between. */
function cuts(bytes: Buffer): number[] {
  if (bytes.length <= 2048) return Array.from({ length: bytes.length + 1 }, (_, index) => index)
  const found = new Set<number>([0, bytes.length])
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    for (const near of [at - 1, at, at + 1, at + 2]) if (near <= bytes.length) found.add(near)
  }
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 64)) found.add(at)
  return [...found]
}

function testMeaning(
  agent: Agent,
  fixtures: string,
  world: (fixture: string) => Io,
  { sessions, meaning, lacks = {} }: AgentExpectations,
): void {
  test.each(['typed', 'tokens', 'failed', 'branches'] as const)('says what its records mean: %s', (field) => {
    const stated = Object.entries(meaning).filter(([, one]) => one[field] !== undefined)
    const isSaid = stated.some(([, one]) => Object.keys(one[field]!).length > 0) || lacks[field] !== undefined
    expect(isSaid, `state ${field} of a session in \`meaning\`, or in \`lacks\` why there is none`).toBe(true)
    for (const [native, one] of stated) {
      const version = Object.keys(sessions).find((key) => sessions[key]!.includes(native))
      const io = world(join(fixtures, version ?? ''))
      const head = listAll(agent, io).heads.find(({ native_id }) => native_id === native)!
      const { events, items } = readAll(agent, head, io)
      const found: Required<SessionMeaning> = {
        typed: events.flatMap((event) => (event.type === 'user' ? [contentText(event.content)] : [])),
        tokens: summarise(items).tokens,
        failed: events.flatMap((event) => (event.type === 'tool_result' && event.is_error ? [event.tool_use_id] : [])),
        branches: Object.fromEntries(
          events.flatMap(({ id, parent_id }, index) =>
            index > 0 && parent_id !== events[index - 1]!.id ? [[id, parent_id]] : [],
          ),
        ),
      }
      const wanted = field === 'tokens' ? { ...noTokens, ...one.tokens } : one[field]
      expect(found[field], `${field} of ${native}`).toEqual(wanted)
    }
  })
}

function testBackup(
  agent: Agent,
  fixtures: string,
  world: (fixture: string) => Io,
  { sessions, staysPut = {} }: AgentExpectations,
): void {
  const { backup } = agent

  test.skipIf(!backup)('a copy may write no credentials, no settings and nothing outside of the store', () => {
    const io = scratchIo()
    const secrets = agent.secrets.map((secret) => secret.split(':')[0]!.replaceAll('*', 'x'))
    const others = ['settings.json', 'config.toml', '.env', 'unknown', 'a/b', '../unknown', '/etc/passwd']
    for (const root of Object.keys(backup!.roots(io))) {
      for (const path of [...secrets, ...others]) {
        expect(() => partPath({ kind: 'file', root, path }, backup!, io), `${root}: ${path}`).toThrow()
      }
    }
  })

  const moving = Object.keys(sessions).filter((version) => staysPut[version] === undefined)
  test.skipIf(!backup).each(moving)(
    'sessions of %s that are restored into another home follow their folder there',
    (version) => {
      const io = world(join(fixtures, version))
      const vault = new Vault(io)
      const home = scratchFolder()
      const before: string[] = []
      const after: string[] = []
      for (const head of listAll(agent, io).heads) {
        if (head.cwd === null || head.parent_session || !vault.backUp(agent, head)) continue
        const move = moveOf(head.cwd, io.home, home)
        const target: Io = { ...io, home, env: { ION_HOME: io.env.ION_HOME }, cwd: move(head.cwd) }
        const kept = vault.find(agent, head.id)!
        const { parts } = kept.versions.at(-1)!
        restore({ ...kept, agent, parts, content: (part) => vault.content(part), io: target, move })
        const cwds = listAll(agent, target).heads.map(({ cwd }) => cwd)
        expect(cwds, `${head.native_id} was in ${head.cwd}`).toContain(move(head.cwd))
        expect(cwds, `${head.native_id} is still in its old folder`).not.toContain(head.cwd)
        before.push(head.cwd)
        after.push(move(head.cwd))
      }
      const paths = filesBelow(home).map((path) => relative(home, path))
      for (const cwd of new Set(before)) {
        if (after.includes(cwd)) continue
        for (const name of folderNames(cwd)) {
          expect(
            paths.filter((path) => path.includes(name)),
            `paths are still named after ${cwd}`,
          ).toEqual([])
        }
      }
    },
  )
}

/** The home of a recorded session is /home/<somebody>; one below the scratch home moves with that. */
function moveOf(cwd: string, from: string, to: string): Move {
  const recorded = /^\/home\/[^/]+/.exec(cwd)?.[0]
  return recorded && !cwd.startsWith(from) ? moveFolder(recorded, '/srv/somebody') : moveFolder(from, to)
}

/** How agents name a folder after a project. */
function folderNames(cwd: string): string[] {
  const hashes = ['md5', 'sha1', 'sha256'].map((kind) => createHash(kind).update(cwd).digest('hex'))
  const dashes = [cwd.replace(/[^A-Za-z0-9]/g, '-'), cwd.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')]
  return [...hashes, ...dashes, cwd.slice(1)]
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
  const byId = new Map(events.map((event) => [event.id, event]))
  expect(byId.size).toBe(events.length)
  for (const event of events) {
    if (event.parent_id !== null)
      expect(byId.has(event.parent_id), `parent ${event.parent_id} of ${event.id}`).toBe(true)
    if (event.type === 'tool_result') expect(byId.get(event.tool_use_id)?.type, `call of ${event.id}`).toBe('tool_use')
    // As it comes back from a log file.
    expect(parseEvent(JSON.parse(JSON.stringify(event)), 1)).toEqual(event)
  }
  expectSoundCalls(events)
}

/** Each call is on one event. (Parts of a call have the same id too, but no fixture has a call in parts: that is tested beside them.) */
function expectSoundCalls(events: readonly IonEvent[]): void {
  const ids = events.flatMap(({ call }) => call?.id ?? [])
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  for (const { id, token_usage, call } of events) {
    if (call) expect(token_usage, `tokens of ${id}, which has a call`).toBeDefined()
    expect(token_usage?.cache_write_1h ?? 0, `of ${id}`).toBeLessThanOrEqual(token_usage?.cache_write ?? 0)
  }
}

function eventOf(item: Item): unknown {
  return isEvent(item) ? item.event : item
}

function idOf(item: Item): string | undefined {
  return isEvent(item) ? item.event.id : undefined
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
  expectSameCalls(agent, head, io)
  // session_start is no line of the file.
  expect(passages).toEqual(events.slice(1).flatMap((event) => passageOf(event) ?? []))
}
