import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkingSealer } from '../../test/support/checking-sealer.ts'
import { keptFixtures } from '../../test/support/kept-fixtures.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { taskFolder } from '../platform/task-folders.ts'
import { appendEntry, readLedger } from '../run/ledger.ts'
import { readTaskState } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { writeTaskFile } from '../run/tasks.ts'
import { TaskImage } from './follow/task-image.ts'
import { ReplicaLease } from './lease.ts'
import { loadNewest } from './log/read-log.ts'
import { TaskLog } from './log/task-log.ts'
import { type ImagePart, LogWriter } from './log/write-log.ts'
import { restoreTask } from './restore-task.ts'

const MAX_SESSIONS = 4

/** What every agent with a backup must do, on all of its fixtures: a session goes to a store and comes back in another home. */
describe.each(keptFixtures)('%s %s', (_id, _version, agent, fixture) => {
  test('a task is restored from the store into an empty home', async () => {
    const io = scratchIo(fixture)
    for (const head of storable(agent, io)) {
      const task = taskOf(agent, head, io)
      pin(task, head, io)
      const log = new TaskLog(new MemoryStore(), checkingSealer, 'tasks/one')
      const lease = await take(log, io)
      const writer = new LogWriter(log, lease.tenure, undefined)
      const image = new TaskImage({ agent, task, io }, undefined)
      const first = image.look()
      expect(await writer.store(first, io.now())).toBe(true)
      image.stored(first)
      // Nothing has changed: nothing is stored.
      expect(await writer.store(image.look(), io.now())).toBe(false)
      // Only the ledger has grown.
      appendEntry(task.folder, { type: 'exited', run: 'r', code: 0, signal: null }, io)
      const second = image.look()
      expect(await writer.store(second, io.now())).toBe(true)
      image.close()
      const home = scratchFolder()
      const there: Io = { ...io, home, env: {}, cwd: head.cwd ?? home }
      const restoredTask = taskOf(agent, head, there)
      const loaded = (await loadNewest(log, lease.tenure))!
      const { session } = await restoreTask({ agent, task: restoredTask, io: there, log, loaded })
      const [here, now] = [said(agent, head, io), said(agent, session!.head, there)]
      expect(now).toEqual(here)
      expect(readTaskState(restoredTask.folder).session?.native_id).toBe(session!.head.native_id)
      expect(readLedger(restoredTask.folder).entries.filter(({ run }) => run === 'r')).toEqual(
        readLedger(task.folder).entries,
      )
      // Once more: it is all there already.
      await restoreTask({ agent, task: restoredTask, io: there, log, loaded })
      expect(said(agent, session!.head, there)).toEqual(here)
    }
  })

  test('no credential file of the agent is among what is stored', () => {
    const io = scratchIo(fixture)
    plantCredentials(agent, io)
    for (const head of storable(agent, io)) {
      const task = taskOf(agent, head, io)
      pin(task, head, io)
      const image = new TaskImage({ agent, task, io }, undefined)
      const { parts } = image.look()
      expect(parts.filter(holdsCredential).map(({ name }) => name)).toEqual([])
      image.close()
    }
  })
})

function storable(agent: Agent, io: Io): SessionHead[] {
  const hasData = (head: SessionHead): boolean =>
    [...agent.backup!.parts(head, readContext(io))].some((part) => !isProblem(part))
  return listAll(agent, io)
    .heads.slice(0, MAX_SESSIONS)
    .filter((head) => !head.parent_session && hasData(head))
}

const CREDENTIAL = 'a planted credential'

/** The agent's credential files, in every folder where it may keep its data. */
function plantCredentials({ secrets, paths }: Agent, io: Io): void {
  const names = secrets.filter((secret) => !/sqlite3|:/.test(secret)).map((secret) => secret.replaceAll('*', 'x'))
  const folders = paths(io).map(({ path }) => (path.endsWith('.db') ? dirname(path) : path))
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  for (const path of places.filter((place) => !existsSync(place))) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, CREDENTIAL)
  }
}

function holdsCredential(part: ImagePart): boolean {
  return Array.from(part.read(0, part.size), (bytes) => Buffer.from(bytes).toString('latin1'))
    .join('')
    .includes(CREDENTIAL)
}

function taskOf(agent: Agent, { cwd }: SessionHead, io: Io): Task {
  const project = cwd ?? io.cwd
  return { agent: agent.id, project, name: 'main', folder: taskFolder(agent.id, project, 'main', io) }
}

function pin(task: Task, { native_id, cwd }: SessionHead, io: Io): void {
  const common = { run: 'r', cwd: cwd ?? task.project }
  appendEntry(
    task.folder,
    { type: 'planned', decision: 'cold', reason: '', way: 'headless', args: [], session: native_id, ...common },
    io,
  )
  appendEntry(task.folder, { type: 'session', native_id, files: [], how: 'told', ...common }, io)
  writeTaskFile(task)
}

function take(log: TaskLog, io: Io): Promise<ReplicaLease> {
  return ReplicaLease.take(log, { steal: false, takeOver: '', now: io.now, wait: async () => {} })
}

/** Without what is made from the place, as some ids are, and what an agent keeps in files that are never copied. */
function said(agent: Agent, head: SessionHead, io: Io): unknown[] {
  const events = readAll(agent, head, io).events.filter(({ type }) => type !== 'system')
  return events.map(({ type, ...event }) => ({
    type,
    content: 'content' in event ? event.content : undefined,
  }))
}
