import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkingSealer } from '../../../test/support/checking-sealer.ts'
import { MemoryStore } from '../../../test/support/memory-store.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { findAgent } from '../../agents/find.ts'
import type { Io } from '../../platform/io.ts'
import { taskFolder } from '../../platform/task-folders.ts'
import { appendEntry } from '../../run/ledger.ts'
import type { Task } from '../../run/task.ts'
import { ReplicaLease, readLease } from '../lease.ts'
import { fetchParts } from '../log/fetch-parts.ts'
import { loadNewest } from '../log/read-log.ts'
import { TaskLog } from '../log/task-log.ts'
import { LogWriter } from '../log/write-log.ts'
import { followTask, type Progress } from './follow-task.ts'
import { TaskImage } from './task-image.ts'

const agent = findAgent('claude')
const ID = '0b7e2f60-1111-4222-8333-944444444444'
const OTHER_ID = '0b7e2f60-1111-4222-8333-955555555555'

/** A task whose agent is played by the test, and the store that follows it. */
class World {
  readonly io: Io = scratchIo()
  readonly store = new MemoryStore()
  readonly log = new TaskLog(this.store, checkingSealer, 'tasks/one')
  readonly task: Task
  /** What the agent's file was, up to the last complete line, after each of its writes. Null: there was none. */
  readonly states: (string | null)[] = [null]
  #count = 0

  constructor() {
    const { io } = this
    this.task = { agent: agent.id, project: io.home, name: 'main', folder: taskFolder(agent.id, io.home, 'main', io) }
  }

  file(id = ID): string {
    return join(this.io.home, '.claude', 'projects', this.io.home.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`)
  }

  line(id = ID): string {
    const message = { role: 'user', content: `message ${++this.#count}` }
    const place = { cwd: this.io.home, sessionId: id, version: '2.1.325', timestamp: '2026-11-18T02:00:00Z' }
    return `${JSON.stringify({ type: 'user', uuid: `u-${this.#count}`, ...place, message })}\n`
  }

  pin(id = ID): void {
    const cwd = this.io.home
    appendEntry(
      this.task.folder,
      { type: 'planned', run: id, decision: 'cold', reason: '', way: 'headless', args: [], session: id, cwd },
      this.io,
    )
    appendEntry(this.task.folder, { type: 'session', run: id, native_id: id, files: [], how: 'told', cwd }, this.io)
  }

  content(): string {
    try {
      return readFileSync(this.file(), 'utf8')
    } catch {
      return ''
    }
  }

  write(content: string | undefined, how: 'in place' | 'by rename' = 'in place'): void {
    const file = this.file()
    mkdirSync(dirname(file), { recursive: true })
    if (content === undefined) rmSync(file, { force: true })
    else if (how === 'in place') writeFileSync(file, content)
    else {
      writeFileSync(`${file}.tmp`, content)
      renameSync(`${file}.tmp`, file)
    }
    this.states.push(content === undefined ? null : content.slice(0, content.lastIndexOf('\n') + 1))
  }

  /** The agent's file says something, and then the ledger says that it did. */
  note(): void {
    appendEntry(this.task.folder, { type: 'exited', run: ID, code: this.states.length - 1, signal: null }, this.io)
  }

  /** Until it ends, or `wait` throws: then it was killed there. */
  async follow(isActive: () => boolean, wait: () => void, seen: Progress[] = []): Promise<string> {
    const { log, io, task } = this
    const lease = await ReplicaLease.take(log, { steal: true, takeOver: '', now: io.now, wait: async () => {} })
    const loaded = await loadNewest(log, lease.tenure)
    const image = new TaskImage({ agent, task, io }, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    const onProgress = (progress: Progress): void => void seen.push(progress)
    try {
      return await followTask({ image, writer, lease, io, isActive, wait: async () => wait(), onProgress })
    } finally {
      image.close()
    }
  }

  /** What another home would get, by name. */
  async stored(): Promise<Record<string, string>> {
    const { fault } = this.store
    this.store.fault = () => undefined
    const lease = await readLease(this.log)
    const loaded = lease && (await loadNewest(this.log, lease.document))
    if (!loaded) {
      this.store.fault = fault
      return {}
    }
    const folder = scratchFolder()
    const files = await fetchParts(this.log, loaded, folder)
    const found = Object.fromEntries(Array.from(files, ([name, file]) => [name, readFileSync(file, 'utf8')] as const))
    rmSync(folder, { recursive: true })
    this.store.fault = fault
    return found
  }

  async storedSession(): Promise<string | null> {
    return Object.entries(await this.stored()).find(([name]) => name.endsWith(`${ID}.jsonl`))?.[1] ?? null
  }
}

class Killed extends Error {}

type Step = (world: World) => void

const steps: Readonly<Record<string, Step>> = {
  append: (world) => world.write(world.content() + world.line()),
  'append a part of a line': (world) => world.write(world.content() + world.line().slice(0, 20)),
  'complete the line': (world) => world.write(`${world.content()}"}\n`),
  rewrite: (world) => world.write(world.line() + world.line()),
  'rename over': (world) => world.write(world.line() + world.content(), 'by rename'),
  'change the middle': (world) => world.write(world.content().replaceAll('message', 'MESSAGE')),
  truncate: (world) => {
    if (world.content() === '') return
    truncateSync(world.file(), Math.floor(world.content().length / 2))
    world.write(world.content())
  },
  delete: (world) => world.write(undefined),
  note: (world) => world.note(),
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.keys(steps)) },
  { weight: 5, arbitrary: fc.constant('look') },
  { weight: 1, arbitrary: fc.constant('kill') },
)
const faults = fc.array(fc.constantFrom(undefined, undefined, undefined, 'before' as const, 'after' as const), {
  maxLength: 40,
})

/** Plays the steps; between two looks the agent makes any number of them. */
async function play(world: World, script: readonly string[]): Promise<void> {
  const rest = [...script]
  const wait = (): void => {
    for (let next = rest.shift(); next !== undefined && next !== 'look'; next = rest.shift()) {
      if (next === 'kill') throw new Killed()
      steps[next]!(world)
    }
  }
  while (rest.length > 0) {
    await world.follow(() => rest.length > 0, wait).catch(() => {})
    const ledger = (await world.stored())['task/ledger.jsonl'] ?? ''
    const session = await world.storedSession()
    expect(world.states).toContain(session)
    // What the ledger knows of the session is in it.
    const noted = Math.max(0, ...[...ledger.matchAll(/"code":(\d+)/g)].map(([, code]) => Number(code)))
    if (session !== null) expect(world.states.lastIndexOf(session)).toBeGreaterThanOrEqual(noted)
  }
}

async function survives(
  start: string,
  script: readonly string[],
  failing: readonly ('before' | 'after' | undefined)[],
) {
  const world = new World()
  world.pin()
  world.write(start + world.line())
  const pending = [...failing]
  world.store.fault = () => pending.shift()
  await play(world, script)
  world.store.fault = () => undefined
  if (world.states.at(-1) === null) world.write(world.line())
  expect(
    await world.follow(
      () => false,
      () => {},
    ),
  ).toBe('ended')
  expect(await world.storedSession()).toBe(world.states.at(-1))
}

test('any interleaving of writes, uploads, cuts and kills stores a state that the agent had, and at last the last one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), faults, (script, failing) => survives('', script, failing)),
    { numRuns: Number(process.env.ION_RUNS ?? 40) },
  )
})

test('the same for a file of which only the new lines are read', async () => {
  const large = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(1200) })}\n`.repeat(1000)
  const growing = fc.constantFrom(
    'append',
    'append',
    'append a part of a line',
    'rename over',
    'note',
    'look',
    'look',
    'kill',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(growing, { maxLength: 12 }), (script) => survives(large, script, [])),
    { numRuns: Number(process.env.ION_RUNS ?? 3) },
  )
})

const PADDING = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(9000) })}\n`

test('a change in the middle of a file that keeps its size is stored', async () => {
  const world = new World()
  world.pin()
  world.write(PADDING + world.line() + PADDING)
  let looks = 0
  await world.follow(
    () => ++looks < 4,
    () => {
      if (looks === 1) world.write(world.content().replace('message', 'MESSAGE'))
      if (looks === 2) world.write(world.content() + world.line())
    },
  )
  expect(await world.storedSession()).toBe(world.states.at(-1))
})

test('a file that is changed between the look and the upload is not stored as a mixture', async () => {
  for (const isKnown of [false, true]) {
    const world = new World()
    world.pin()
    world.write(world.line())
    if (isKnown)
      await world.follow(
        () => false,
        () => {},
      )
    world.write(world.content() + PADDING + world.line() + PADDING)
    let looks = 0
    const seen: Progress[] = []
    const isActive = (): boolean => ++looks < 3
    const original = TaskImage.prototype.look
    const changing = vi.spyOn(TaskImage.prototype, 'look').mockImplementation(function (this: TaskImage) {
      const image = original.call(this)
      if (looks === 1) world.write(world.content().replace('message 2', 'MESSAGE 2'))
      return image
    })
    await world.follow(isActive, () => {}, seen)
    changing.mockRestore()
    expect(seen[0]).toMatchObject({ state: 'behind', problem: expect.stringContaining('changed while it was read') })
    expect(await world.storedSession()).toBe(world.states.at(-1))
  }
})

test('storing that takes long is reported as being behind, without a problem', async () => {
  const world = new World()
  world.pin()
  world.write(world.line())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const seen: Progress[] = []
  vi.spyOn(LogWriter.prototype, 'store').mockImplementationOnce(async () => {
    await vi.advanceTimersByTimeAsync(1900)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    return true
  })
  onTestFinished(() => void vi.restoreAllMocks())
  await world.follow(
    () => false,
    () => {},
    seen,
  )
  expect(seen).toEqual([{ state: 'behind' }, { state: 'stored', stored: expect.anything() }])
})

test('a session that is gone stays in the store as it was, and the lease is given back', async () => {
  const world = new World()
  world.pin()
  world.write(world.line())
  let looks = 0
  const seen: Progress[] = []
  const how = await world.follow(
    () => ++looks < 4,
    () => world.write(undefined),
    seen,
  )
  expect(how).toBe('gone')
  expect(seen.at(-1)).toMatchObject({ state: 'behind', problem: expect.stringContaining('is gone') })
  expect(await world.storedSession()).toBe(world.states[1])
  expect((await readLease(world.log))!.document.isReleased).toBe(true)
})

test.each([false, true])(
  'a home that is deleted while its task is followed leaves the store as it was; used after that: %j',
  async (isUsed) => {
    const world = new World()
    world.pin()
    world.write(world.line())
    let looks = 0
    const seen: Progress[] = []
    const how = await world.follow(
      () => ++looks < 4,
      () => {
        if (looks > 1) return
        rmSync(world.task.folder, { recursive: true, force: true })
        if (isUsed) world.note()
      },
      seen,
    )
    expect(how).toBe('gone')
    expect(seen.at(-1)).toMatchObject({ state: 'behind', problem: expect.stringContaining('is gone') })
    expect(await nextTenure(world)).toBe(world.states[1])
  },
)

test('a record whose answer was lost counts, even if the session is gone before it is looked for', async () => {
  const world = new World()
  world.pin()
  world.write(world.line())
  let waits = 0
  let lost = 0
  const how = await world.follow(
    () => waits < 2,
    () => {
      if (++waits === 2) return world.write(undefined)
      world.write(world.content() + world.line())
      const isRecord = (key: string): boolean => key.startsWith(world.log.keys.records)
      world.store.fault = (operation, key) =>
        operation === 'put' && isRecord(key) && lost++ === 0 ? 'after' : undefined
    },
  )
  expect([how, lost]).toEqual(['gone', 1])
  expect(await nextTenure(world)).toBe(world.states[2])
})

/** What the next workspace gets, after it has taken the lease. */
async function nextTenure(world: World): Promise<string | null> {
  await ReplicaLease.take(world.log, { steal: false, takeOver: '', now: world.io.now, wait: async () => {} })
  return world.storedSession()
}

test('a second session of the task takes the place of the first, from when it is planned', async () => {
  const world = new World()
  world.pin()
  world.write(world.line())
  await world.follow(
    () => false,
    () => {},
  )
  world.pin(OTHER_ID)
  expect(
    await world.follow(
      () => false,
      () => {},
    ),
  ).toBe('ended')
  expect(Object.keys(await world.stored()).filter((name) => name.startsWith('session/'))).toEqual([])
  writeFileSync(world.file(OTHER_ID), world.line(OTHER_ID))
  expect(
    await world.follow(
      () => false,
      () => {},
    ),
  ).toBe('ended')
  const names = Object.keys(await world.stored()).filter(
    (name) => name.endsWith('.jsonl') && name.startsWith('session/'),
  )
  expect(names).toEqual([expect.stringContaining(OTHER_ID)])
})
