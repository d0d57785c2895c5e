import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keptFixtures } from '../../../test/support/kept-fixtures.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import type { Agent } from '../../agents/agent.ts'
import type { SessionHead } from '../../events/session.ts'
import type { Io } from '../../platform/io.ts'
import { removeParts } from '../remove.ts'
import { createSnapshot } from './create.ts'
import { restoreSnapshot, type SnapshotRestoreRequest } from './restore.ts'
import { verifySnapshot } from './verify.ts'

/** What every agent with a backup must do, on all of its fixtures. */
describe.each(keptFixtures)('%s %s', (_id, _version, agent, fixture) => {
  const snapshot = (io: Io): { file: string; sessions: number } => {
    const file = join(scratchFolder(), 'snapshot.tar.gz')
    const { sessions } = createSnapshot({ file, agents: [agent], ionVersion: '0.0.0' }, io)
    return { file, sessions }
  }

  test('all sessions are saved, and restored where they are missing', async () => {
    const io = scratchIo(fixture)
    const before = seen(agent, io)
    const { file, sessions } = snapshot(io)
    for (const head of before.heads) {
      if (!head.parent_session) removeParts(agent, head, io)
    }
    const outcomes = await restored(file, io, io.home)
    expect(outcomes.map(([outcome, reason]) => [wentWell(outcome), reason])).toEqual(wanted(sessions))
    expect(seen(agent, io).sessions).toEqual(before.sessions)
    expect(await restored(file, io, io.home)).toEqual(outcomes.map(() => ['same', undefined]))
  })

  test('they are restored into a home with another name, and differ only in their paths', async () => {
    const io = scratchIo(fixture)
    const { file, sessions } = snapshot(io)
    const home = scratchFolder()
    const empty: Io = { ...io, home, env: { ION_HOME: io.env.ION_HOME } }
    const outcomes = await restored(file, empty, home)
    expect(outcomes.map(([outcome, reason]) => [wentWell(outcome), reason])).toEqual(wanted(sessions))
    const taken = (await verifySnapshot(file)).sessions.map(({ id }) => id)
    const spoken = texts(agent, io, ({ id, parent_session: of }) => taken.includes(id) || taken.includes(of ?? ''))
    expect(texts(agent, empty, () => true)).toEqual(spoken.map((text) => text.replaceAll(io.home, home)))
    // A database of which rows were taken has the name of one with credentials, but holds only rows of sessions.
    const files = filesBelow(home).filter((path) => !agent.backup?.tables || !/\.(db|sqlite3)$/.test(path))
    for (const path of files) expect(isSecret(agent, path)).toBe(false)
  })
})

/** Of two sessions in one file the second is there with the first. */
function wentWell(outcome: string): boolean {
  return outcome === 'restored' || outcome === 'same'
}

function wanted(count: number): [isWell: boolean, reason: undefined][] {
  return Array.from({ length: count }, () => [true, undefined])
}

type Outcomes = [outcome: string, reason: string | undefined][]

/** A dry run before it reports the same and writes nothing. */
async function restored(file: string, to: Io, home: string): Promise<Outcomes> {
  // On Node 20 files of SQLite's own disappear when a closed connection is garbage collected.
  const files = (): string[] => filesBelow(home).filter((path) => !/-(?:wal|shm)$/.test(path))
  const before = files()
  const planned = await outcomesOf({ file, to, home, dryRun: true })
  expect(files()).toEqual(before)
  const outcomes = await outcomesOf({ file, to, home })
  expect(planned).toEqual(outcomes.map(([outcome, reason]) => [outcome.replace(/^restored$/, 'would restore'), reason]))
  return outcomes
}

async function outcomesOf(request: Pick<SnapshotRestoreRequest, 'file' | 'to' | 'home' | 'dryRun'>): Promise<Outcomes> {
  const verified = await verifySnapshot(request.file)
  expect(verified.problems).toEqual([])
  const outcomes: Outcomes = []
  const { sessions } = verified
  for await (const { outcome, reason } of restoreSnapshot({ ...request, verified, sessions, spool: scratchFolder() })) {
    outcomes.push([outcome, reason])
  }
  return outcomes
}

/** The sessions with their events. Times that come from file stamps are new. */
function seen(agent: Agent, io: Io): { heads: SessionHead[]; sessions: unknown[] } {
  const { heads } = listAll(agent, io)
  const sessions = heads.map((head) => ({
    id: head.id,
    title: head.title,
    cwd: head.cwd,
    events: readAll(agent, head, io).events.map(({ id, parent_id, type }) => ({ id, parent_id, type })),
    spoken: spokenIn(agent, head, io),
  }))
  return { heads, sessions }
}

/** What was said in each session; ids may have a path in them, and are others then. */
function texts(agent: Agent, io: Io, isWanted: (head: SessionHead) => boolean): string[] {
  const { heads } = listAll(agent, io)
  return heads
    .filter(isWanted)
    .map((head) => spokenIn(agent, head, io))
    .sort()
}

function spokenIn(agent: Agent, head: SessionHead, io: Io): string {
  const { events } = readAll(agent, head, io)
  const spoken = events.filter(({ type }) => type !== 'session_start' && type !== 'system')
  return JSON.stringify(spoken.map((event) => [event.type, 'content' in event ? event.content : null]))
}

function isSecret(agent: Agent, file: string): boolean {
  return agent.secrets.some((secret) =>
    new RegExp(`${secret.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file),
  )
}
