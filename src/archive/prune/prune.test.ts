import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { keptFixtures } from '../../../test/support/kept-fixtures.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { filesBelow, scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import type { SessionHead } from '../../events/session.ts'
import type { Io } from '../../platform/io.ts'
import { inTrash, readTrash } from '../../vault/trash.ts'
import { Vault } from '../../vault/vault.ts'
import { Archive } from '../archive.ts'
import { isNeeded, neededByForks } from './candidates.ts'
import { type PruneGroup, pruneSession } from './prune.ts'
import { dropSafetyCopies, emptyTrash, undoPrune } from './undo.ts'

describe.each(keptFixtures)('%s %s', (_id, _version, agent, fixture) => {
  test('every session is removed and archived and can be restored, until its exact copy is dropped', () => {
    const io = scratchIo(fixture)
    const before = snapshotOf(agent, io)
    const pruned = pruneAll(agent, io)
    const left = listAll(agent, io)
      .heads.filter((head) => readAll(agent, head, io).events.length > 1)
      .map(({ id }) => id)
    expect(pruned.filter((id) => left.includes(id))).toEqual([])
    expect(readTrash(io).map(({ act }) => act)).toEqual(readTrash(io).map(() => 'pruned'))
    for (const id of pruned) expect(archived(id, io)).not.toEqual([])
    expect(undoPrune(inTrash(io), io).map(({ outcome, reason }) => [outcome, reason])).toEqual(
      readTrash(io).map(() => ['restored', undefined]),
    )
    expect(snapshotOf(agent, io)).toEqual(before)
    // The archive stays readable without the exact copy.
    pruneAll(agent, io)
    const texts = pruned.map((id) => archived(id, io))
    const { outcomes } = emptyTrash(inTrash(io), io)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => 'emptied'))
    expect(pruned.map((id) => archived(id, io))).toEqual(texts)
    expect(pruned.map((id) => new Vault(io).find(agent, id))).toEqual(pruned.map(() => undefined))
    if (groups(agent, io).length === 0) expect(objects(io)).toEqual([])
  })
})

/** An agent whose sessions are files of lines. */
const lineAgent = agents.find(({ backup }) => backup?.files.config && !backup.tables)!
const FIXTURE = fileURLToPath(new URL('../../agents/claude/fixtures/2.1.197', import.meta.url))

function firstSession(io: Io): { group: PruneGroup; path: string } {
  const [group] = groups(lineAgent, io)
  return { group: group!, path: group!.head.path }
}

function prune(group: PruneGroup, io: Io): string | undefined {
  const archive = new Archive(io)
  try {
    return pruneSession(archive, group, 'run', io).keptBecause
  } finally {
    archive.close()
  }
}

test('a session whose file ends in the middle of a line is kept: its copy would be incomplete', () => {
  const io = scratchIo(FIXTURE)
  const { path } = firstSession(io)
  appendFileSync(path, '{"type":"us')
  const { group } = firstSession(io)
  expect(prune(group, io)).toContain('ends in the middle of a line')
  expect([existsSync(path), readTrash(io)]).toEqual([true, []])
})

test('a session whose copy is damaged is kept', () => {
  const io = scratchIo(FIXTURE)
  const { group, path } = firstSession(io)
  const archive = new Archive(io)
  archive.capture(group.agent, group.head)
  archive.close()
  for (const file of objects(io)) writeFileSync(file, 'x')
  expect(prune(group, io)).toContain('an exact copy is damaged')
  expect(existsSync(path)).toBe(true)
})

test('a session whose archive is incomplete is kept', () => {
  const io = scratchIo(FIXTURE)
  const { group, path } = firstSession(io)
  const archive = new Archive(io)
  archive.capture(group.agent, group.head)
  archive.close()
  const [log] = filesBelow(join(io.env.ION_HOME!, 'sessions')).filter((file) => file.endsWith('.jsonl'))
  const lines = readFileSync(log!, 'utf8').split('\n')
  writeFileSync(log!, lines.toSpliced(2, 1).join('\n'))
  expect(prune(group, io)).toBe('its archive is incomplete')
  expect([existsSync(path), readTrash(io)]).toEqual([true, []])
})

test('a session that its agent has again keeps its exact copy', () => {
  const io = scratchIo(FIXTURE)
  const { group, path } = firstSession(io)
  const bytes = readFileSync(path)
  expect(prune(group, io)).toBeUndefined()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, bytes)
  expect(emptyTrash(inTrash(io), io).outcomes.map(({ outcome }) => outcome)).toEqual(['back'])
  expect([new Vault(io).find(group.agent, group.head.id) !== undefined, inTrash(io)]).toEqual([true, []])
})

test('undo does not overwrite what took its place meanwhile', () => {
  const io = scratchIo(FIXTURE)
  const { group, path } = firstSession(io)
  expect(prune(group, io)).toBeUndefined()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'another\n')
  expect(undoPrune(inTrash(io), io).map(({ outcome }) => outcome)).toEqual(['refused'])
  expect([readFileSync(path, 'utf8'), inTrash(io).length]).toEqual(['another\n', 1])
})

test('a session that a fork depends on is needed; others are not', () => {
  const fixture = fileURLToPath(new URL('../../agents/codex/fixtures/handmade-fork', import.meta.url))
  const io = scratchIo(fixture)
  const forkAgent = agents.find(({ backup }) => backup?.files.codex)!
  const { heads } = listAll(forkAgent, io)
  const needed = neededByForks(forkAgent, heads, io)
  const forked = new Set(heads.map((head) => head.forked_from))
  const isNeededById = heads.map((head) => [head.id, isNeeded(forkAgent, head, needed, io)])
  expect(needed.size).toBeGreaterThan(0)
  expect(isNeededById.filter(([, is]) => is).map(([id]) => id)).toEqual(
    heads.map(({ id }) => id).filter((id) => forked.has(id)),
  )
})

test('old safety copies are removed once their session is captured, others are kept', () => {
  const io = scratchIo(FIXTURE)
  const { group } = firstSession(io)
  const archive = new Archive(io)
  archive.capture(group.agent, group.head)
  archive.close()
  const root = join(io.env.ION_HOME!, 'vault/safety', group.agent.id)
  for (const run of ['old', 'new', 'unknown']) {
    mkdirSync(join(root, run), { recursive: true })
    writeFileSync(join(root, run, 'copy'), '12345')
    utimesSync(join(root, run), 1e9, run === 'new' ? io.now().getTime() / 1000 : 1e9)
  }
  const sessionOf = (_agent: string, run: string): string | undefined => (run === 'unknown' ? undefined : group.head.id)
  expect(dropSafetyCopies(sessionOf, io)).toBe(5)
  expect(readdirSync(root).sort()).toEqual(['new', 'unknown'])
})

/** Sessions with their sub-agents' sessions. */
function groups(agent: Agent, io: Io): PruneGroup[] {
  const { heads } = listAll(agent, io)
  const below = (head: SessionHead): SessionHead[] =>
    heads.filter((other) => other.parent_session === head.id).flatMap((child) => [child, ...below(child)])
  return heads.filter((head) => !head.parent_session).map((head) => ({ agent, head, subAgents: below(head) }))
}

/** Some fixtures have a hundred sessions. */
const MAX_SESSIONS = 10

/** Ids of the removed sessions. */
function pruneAll(agent: Agent, io: Io): string[] {
  const archive = new Archive(io)
  try {
    const some = groups(agent, io).slice(0, MAX_SESSIONS)
    return some.flatMap((group) => {
      const { keptBecause } = pruneSession(archive, group, 'run', io)
      return keptBecause === undefined ? [group.head.id] : []
    })
  } finally {
    archive.close()
  }
}

function snapshotOf(agent: Agent, io: Io): unknown[] {
  return listAll(agent, io).heads.map((head) => ({
    id: head.id,
    cwd: head.cwd,
    title: head.title,
    events: readAll(agent, head, io).events.map((event) => ['content' in event ? event.content : event.id]),
  }))
}

/** The events in Ion's archive. */
function archived(id: string, io: Io): unknown[] {
  const archive = agents.find(({ isArchive }) => isArchive)!
  const head = listAll(archive, io).heads.find((other) => other.id === id)
  return head ? readAll(archive, head, io).events : []
}

function objects(io: Io): string[] {
  const folder = join(io.env.ION_HOME!, 'vault/objects')
  return existsSync(folder) ? filesBelow(folder) : []
}
