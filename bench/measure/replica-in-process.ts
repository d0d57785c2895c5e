// What is measured of a task in a store inside one process, without the agent and the command line. See call-in-process.ts.
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { type Io, inHome } from '../../src/platform/io.ts'
import { taskFolder } from '../../src/platform/task-folders.ts'
import { followTask } from '../../src/replica/follow/follow-task.ts'
import { TaskImage } from '../../src/replica/follow/task-image.ts'
import { recordEnd } from '../../src/replica/local-record.ts'
import { loadNewest } from '../../src/replica/log/read-log.ts'
import { type Image, LogWriter } from '../../src/replica/log/write-log.ts'
import { openConfig } from '../../src/replica/open.ts'
import { type PreparedTask, prepareTask } from '../../src/replica/prepare-task.ts'
import { restoreTask } from '../../src/replica/restore-task.ts'
import { retakeLease } from '../../src/replica/retake-lease.ts'
import { generateKey } from '../../src/replica/seal/keys.ts'
import type { ObjectStore } from '../../src/replica/store/object-store.ts'
import { openStore } from '../../src/replica/store/open-store.ts'
import { appendEntry } from '../../src/run/ledger.ts'
import type { Task } from '../../src/run/task.ts'
import { writeTaskFile } from '../../src/run/tasks.ts'
import { type BenchSession, claudeSession } from './watch-sessions.ts'

interface World {
  readonly home: string
  readonly ionHome: string
}

interface Cpu {
  readonly cpuMs: number
}

/** Milliseconds from each write of the agent until it is durable in the store. Writes come at any time between two looks. */
export async function measureReplicaLag(world: World, megabytes: number, writes: number): Promise<number[]> {
  const bench = await ReplicaBench.make(world, megabytes)
  const times: number[] = []
  await bench.follow(async (stored) => {
    for (let write = 0; write < writes; write++) {
      await sleep((write * 137) % 500)
      const began = performance.now()
      bench.session.write()
      const { size } = statSync(bench.session.path)
      await stored(size)
      times.push(performance.now() - began)
    }
  })
  return times
}

/** What following takes in some seconds, with a write every so often or none at all. */
export async function measureReplicaCost(
  world: World,
  megabytes: number,
  seconds: number,
  writeEveryMs: number | null,
): Promise<Cpu & { readonly requests: number; readonly bytes: number }> {
  const bench = await ReplicaBench.make(world, megabytes)
  let result = { cpuMs: 0, requests: 0, bytes: 0 }
  await bench.follow(async (_stored, { usage }) => {
    const before = { ...usage }
    const cpu = process.cpuUsage()
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      if (writeEveryMs !== null) bench.session.write()
      await sleep(Math.min(writeEveryMs ?? Number.POSITIVE_INFINITY, end - performance.now()))
    }
    result = {
      cpuMs: cpuSince(cpu),
      requests: usage.requests - before.requests,
      bytes: usage.bytesSent + usage.bytesReceived - before.bytesSent - before.bytesReceived,
    }
  })
  return result
}

/** Restoring the task into an empty home, in turn with only getting and opening the same objects. */
export async function measureReplicaRestore(
  world: World,
  megabytes: number,
  rounds: number,
): Promise<{ readonly restore: Cpu[]; readonly download: Cpu[]; readonly bytes: number }> {
  const bench = await ReplicaBench.make(world, megabytes)
  await bench.follow(async () => {})
  const { agent, task } = bench
  const { log, lease } = await bench.prepare()
  const keys: string[] = []
  for await (const { key } of log.store.list(`${log.folder}/`)) keys.push(key)
  const restore: Cpu[] = []
  const download: Cpu[] = []
  const turns = [
    async () => {
      const home = join(world.home, 'restored')
      mkdirSync(home)
      const io: Io = { ...inHome(home, bench.io), env: {} }
      const folder = taskFolder(agent.id, task.project, task.name, io)
      const cpu = process.cpuUsage()
      const loaded = (await loadNewest(log, lease.tenure))!
      await restoreTask({ agent, task: { ...task, folder }, io, log, loaded })
      restore.push({ cpuMs: cpuSince(cpu) })
      rmSync(home, { recursive: true })
    },
    async () => {
      const cpu = process.cpuUsage()
      for (const key of keys) log.sealer.open(key, (await log.store.get(key))!.bytes)
      download.push({ cpuMs: cpuSince(cpu) })
    },
  ]
  for (let round = 0; round < rounds; round++) {
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn()
  }
  return { restore, download, bytes: statSync(bench.session.path).size }
}

/** Getting ready to start a task that has not changed since it was last stored from here. */
export async function measureReplicaStart(
  world: World,
  megabytes: number,
  rounds: number,
): Promise<{ readonly cpuMs: number[]; readonly requests: number[] }> {
  const bench = await ReplicaBench.make(world, megabytes)
  const [cpuMs, requests]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await bench.follow(async () => {})
    const cpu = process.cpuUsage()
    const store = await bench.retake()
    cpuMs.push(cpuSince(cpu))
    requests.push(store.usage.requests)
  }
  return { cpuMs, requests }
}

/** A task with a session of one file, and an encrypted store in a folder. */
class ReplicaBench {
  readonly agent: Agent
  readonly task: Task
  readonly io: Io
  readonly session: BenchSession
  readonly #address: string
  /** Of the tenure that `retake` has begun. */
  #writer: string | undefined

  static async make({ home, ionHome }: World, megabytes: number): Promise<ReplicaBench> {
    const env = { HOME: home, ION_HOME: ionHome, PATH: '' }
    const io: Io = { env, home, cwd: home, platform: process.platform, now: () => new Date() }
    const { text } = await generateKey(io)
    return new ReplicaBench({ ...io, env: { ...env, ION_REPLICA_KEY: text } }, megabytes)
  }

  private constructor(io: Io, megabytes: number) {
    this.io = io
    this.agent = findAgent('claude')
    this.session = claudeSession(io.home, megabytes)
    const [project, native_id] = ['/home/dev/shop', '11111111-1111-4111-8111-111111111111']
    const folder = taskFolder(this.agent.id, project, 'main', io)
    this.task = { agent: this.agent.id, project, name: 'main', folder }
    const common = { run: 'r', cwd: project }
    appendEntry(
      folder,
      { type: 'planned', decision: 'cold', reason: '', way: 'headless', args: [], session: native_id, ...common },
      io,
    )
    appendEntry(folder, { type: 'session', native_id, files: [this.session.path], how: 'told', ...common }, io)
    writeTaskFile(this.task)
    const store = join(io.home, 'store')
    mkdirSync(store)
    this.#address = pathToFileURL(store).href
  }

  async prepare(): Promise<PreparedTask & { readonly config: string }> {
    const { agent, task, io } = this
    const store = await openStore(this.#address, io)
    const { sealer, config } = await openConfig(store, { address: this.#address }, io)
    const notice = (line: string): void => {
      throw new Error(line)
    }
    const common = { agent, task, store, sealer, io, command: '', steal: false, notice, wait: sleep }
    const writer = this.#writer ?? randomUUID()
    this.#writer = undefined
    return { ...(await prepareTask({ ...common, writer })), config }
  }

  /** What a start does before the agent may start. The next `prepare` continues from there. */
  async retake(): Promise<ObjectStore> {
    const { task, io } = this
    const store = await openStore(this.#address, io)
    const [settings, writer] = [{ address: this.#address }, randomUUID()]
    if (!(await retakeLease({ task, store, settings, io, writer }))) throw new Error('the lease is not as it was left')
    this.#writer = writer
    return store
  }

  /** Follows the task during the work. `stored` waits until that many bytes of the session are in the store. */
  async follow(work: (stored: (bytes: number) => Promise<void>, store: ObjectStore) => Promise<void>): Promise<void> {
    const { log, lease, loaded, config } = await this.prepare()
    const image = new TaskImage(this, loaded?.state)
    const writer = new LogWriter(log, lease.tenure, loaded?.state)
    let isActive = true
    let last: Image | undefined
    let wake = (): void => {}
    const sizeStored = (): number =>
      Math.max(0, ...(last?.parts ?? []).filter(({ name }) => name.startsWith('session/')).map(({ size }) => size))
    const stored = async (bytes: number): Promise<void> => {
      while (sizeStored() < bytes) await new Promise<void>((resolve) => (wake = resolve))
    }
    const followed = followTask({
      image,
      writer,
      lease,
      io: this.io,
      isActive: () => isActive,
      wait: sleep,
      onProgress: (progress) => {
        if (progress.problem !== undefined) throw new Error(progress.problem)
        // Otherwise storing only takes its time.
        if (progress.state !== 'stored') return
        last = progress.stored
        wake()
      },
    })
    const worked = stored(statSync(this.session.path).size).then(() => work(stored, log.store))
    await Promise.race([worked, followed])
    isActive = false
    await followed
    image.close()
    recordEnd(this.task.folder, { log, lease, head: writer.state!.head, parts: last!.parts, config })
  }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
