// What is measured of the archive inside one process, without the command line around it. See call-in-process.ts.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/agents/_registry.ts'
import type { Agent } from '../../src/agents/agent.ts'
import { Archive } from '../../src/archive/archive.ts'
import { ArchiveLog } from '../../src/archive/archive-log.ts'
import type { IonEvent } from '../../src/events/event.ts'
import { isProblem } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { restore } from '../../src/vault/restore.ts'
import { Vault } from '../../src/vault/vault.ts'
import { objectsFolder } from '../../src/vault/vault-paths.ts'

interface World {
  readonly home: string
  readonly ionHome: string
}

/** An event put into a log and onto the disk, in turn with the same bytes just written there. Milliseconds of each. */
export function measureDurableAppend(world: World, rounds: number): { log: number[]; bare: number[] } {
  const path = join(world.ionHome, 'sessions', 'append.jsonl')
  const log = new ArchiveLog(path, readContext(ioOf(world)))
  const fd = openSync(join(world.ionHome, 'bare.jsonl'), 'a')
  const times = { log: [] as number[], bare: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const event = {
      type: 'assistant',
      seq: round,
      id: `e${round}`,
      parent_id: null,
      timestamp: new Date(round).toISOString(),
      content: [{ type: 'text', text: 'some words of an answer, as long as one usually is. '.repeat(30) }],
    } as unknown as IonEvent
    const line = `${JSON.stringify(event)}\n`
    const turns = [
      () =>
        timed(times.log, () => {
          log.add(event)
          log.save()
        }),
      () =>
        timed(times.bare, () => {
          writeSync(fd, line)
          fdatasyncSync(fd)
        }),
    ]
    for (const turn of round % 2 ? turns.reverse() : turns) turn()
  }
  log.close()
  closeSync(fd)
  return times
}

/** CPU, in milliseconds, of reading all sessions, and of archiving their logs without exact copies. */
export function measureLogs(world: World, way: 'read' | 'archive'): { cpuMs: number; events: number } {
  const io = ioOf(world)
  const sessions = [...headsOf(io)]
  const before = process.cpuUsage()
  let events = 0
  if (way === 'read') {
    for (const [agent, head] of sessions) {
      for (const item of agent.read(head, readContext(io))) if (!isProblem(item)) events++
    }
  } else {
    const archive = new Archive(io)
    for (const [agent, head] of sessions) events += archive.capture(agent, head, { copy: false }).added
    archive.close()
  }
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, events }
}

/** CPU of reading all that is archived; the bytes that the logs take. */
export function measureArchived(world: World): { cpuMs: number; events: number; bytes: number } {
  const io = ioOf(world)
  const before = process.cpuUsage()
  let [events, bytes] = [0, 0]
  for (const [agent, head] of headsOf(io, true)) {
    bytes += head.bytes
    for (const item of agent.read(head, readContext(io))) {
      if (isProblem(item)) throw new Error(item.problem)
      events++
    }
  }
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, events, bytes }
}

/**
 * The largest session that is one file, restored from its exact copy, in turn with a plain copy of that file.
 * Milliseconds of each. `updated_at` is when it shall have changed last: copies of old sessions are compressed first.
 */
export function measureRestore(
  world: World,
  target: string,
  updated_at: string,
  rounds: number,
): { restore: number[]; copy: number[]; bytes: number } {
  const io = ioOf(world)
  const sessions = [...headsOf(io)].filter(([{ backup: keep }, { path }]) => keep && path.endsWith('.jsonl'))
  const [agent, head] = sessions.reduce((largest, one) => (one[1].bytes > largest[1].bytes ? one : largest))
  const vault = new Vault(io)
  vault.backUp(agent, { ...head, updated_at })
  packAll(io)
  const kept = vault.find(agent, head.id)!
  const order = { ...kept, agent, parts: kept.versions.at(-1)!.parts, content: vault.content.bind(vault) }
  const times = { restore: [] as number[], copy: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const elsewhere: Io = { ...io, home: join(target, String(round)), env: {} }
    const turns = [
      () => timed(times.restore, () => restore({ ...order, io: elsewhere })),
      () => timed(times.copy, () => copyOntoDisk(head.path, join(target, `${round}.jsonl`))),
    ]
    for (const turn of round % 2 ? turns.reverse() : turns) turn()
    rmSync(elsewhere.home, { recursive: true })
    rmSync(join(target, `${round}.jsonl`))
  }
  return { ...times, bytes: head.bytes }
}

function copyOntoDisk(from: string, to: string): void {
  copyFileSync(from, to)
  const fd = openSync(to, 'r+')
  fsyncSync(fd)
  closeSync(fd)
}

function timed(to: number[], body: () => void): void {
  const start = performance.now()
  body()
  to.push(performance.now() - start)
}

/** Compresses all that is old enough, in as many goes as it takes. */
export function compressAll(world: World): { cpuMs: number; logs: number; goes: number } {
  const before = process.cpuUsage()
  const archive = new Archive(ioOf(world))
  let [logs, goes] = [0, 0]
  for (;;) {
    const cooled = archive.compressOld()
    if (cooled.logs === 0) break
    logs += cooled.logs
    goes++
  }
  archive.close()
  packAll(ioOf(world))
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, logs, goes }
}

/** Compresses exact copies that are old enough, in as many goes as it takes. */
function packAll(io: Io): void {
  const plain = (): number => {
    if (!existsSync(objectsFolder(io))) return 0
    const names = readdirSync(objectsFolder(io), { recursive: true, encoding: 'utf8' })
    return names.filter((name) => name.endsWith('.plain')).length
  }
  for (
    let before = Number.POSITIVE_INFINITY, left = plain();
    left > 0 && left < before;
    before = left, left = plain()
  ) {
    new Vault(io).pack()
  }
}

function* headsOf(io: Io, archived = false): Generator<[Agent, SessionHead]> {
  const reading = readContext(io)
  for (const agent of agents.filter((one) => (one.isArchive ?? false) === archived)) {
    for (const source of agent.sources(reading)) {
      if (isProblem(source)) continue
      for (const head of agent.heads(source, reading)) if (!isProblem(head)) yield [agent, head]
    }
  }
}

function ioOf({ home, ionHome }: World): Io {
  const env = { HOME: home, ION_HOME: ionHome, PATH: '' }
  return { env, home, cwd: home, platform: process.platform, now: () => new Date() }
}
