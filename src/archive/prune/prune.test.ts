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
import { isNeeded, neededByForks, type PruneGroup, pruneSession } from './prune.ts'
import { dropSafetyCopies, emptyTrash, undoPrune } from './prune-undo.ts'

describe.each(keptFixtures)('%s %s', (_id, _version, agent, fixture) => {
  test('every session goes, is in the archive, and comes back; for good when the trash is emptied', () => {
    const io = scratchIo(fixture)
    const before = seen(agent, io)
    const gone = pruneAll(agent, io)
    const left = listAll(agent, io)
      .heads.filter((head) => readAll(agent, head, io).events.length > 1)
      .map(({ id }) => id)
    expect(gone.filter((id) => left.includes(id))).toEqual([])
    expect(readTrash(io).map(({ act }) => act)).toEqual(readTrash(io).map(() => 'pruned'))
    for (const id of gone) expect(archived(id, io)).not.toEqual([])
    expect(undoPrune(inTrash(io), io).map(({ outcome, reason }) => [outcome, reason])).toEqual(
      readTrash(io).map(() => ['restored', undefined]),
    )
    expect(seen(agent, io)).toEqual(before)
    // What is only in the archive stays readable.
    pruneAll(agent, io)
    const texts = gone.map((id) => archived(id, io))
    const { outcomes } = emptyTrash(inTrash(io), io)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => 'emptied'))
    expect(gone.map((id) => archived(id, io))).toEqual(texts)
    expect(gone.map((id) => new Vault(io).find(agent, id))).toEqual(gone.map(() => undefined))
    if (families(agent, io).length === 0) expect(objects(io)).toEqual([])
  })
})

/** One whose sessions are files of lines. */
const ofLines = agents.find(({ backup: keep }) => keep?.files.config && !keep.tables)!
const FIXTURE = fileURLToPath(new URL('../../agents/claude/fixtures/2.1.197', import.meta.url))

function one(io: Io): { family: PruneGroup; path: string } {
  const [family] = families(ofLines, io)
  return { family: family!, path: family!.head.path }
}

function prune(family: PruneGroup, io: Io): string | undefined {
  const archive = new Archive(io)
  try {
    return pruneSession(archive, family, 'run', io).stays
  } finally {
    archive.close()
  }
}

test('one that ends within a line stays: nobody has a copy of that', () => {
  const io = scratchIo(FIXTURE)
  const { path } = one(io)
  appendFileSync(path, '{"type":"us')
  const { family } = one(io)
  expect(prune(family, io)).toContain('ends within a line')
  expect([existsSync(path), readTrash(io)]).toEqual([true, []])
})

test('one whose copy is damaged stays', () => {
  const io = scratchIo(FIXTURE)
  const { family, path } = one(io)
  const archive = new Archive(io)
  archive.capture(family.agent, family.head)
  archive.close()
  for (const file of objects(io)) writeFileSync(file, 'x')
  expect(prune(family, io)).toContain('the vault is damaged')
  expect(existsSync(path)).toBe(true)
})

test('one whose archive has lost something is not lost with it', () => {
  const io = scratchIo(FIXTURE)
  const { family, path } = one(io)
  const archive = new Archive(io)
  archive.capture(family.agent, family.head)
  archive.close()
  const [log] = filesBelow(join(io.env.ION_HOME!, 'sessions')).filter((file) => file.endsWith('.jsonl'))
  const lines = readFileSync(log!, 'utf8').split('\n')
  writeFileSync(log!, lines.toSpliced(2, 1).join('\n'))
  expect(prune(family, io)).toBe('its archive does not have all of it')
  expect([existsSync(path), readTrash(io)]).toEqual([true, []])
})

test('a session that is back keeps its copy when the trash is emptied', () => {
  const io = scratchIo(FIXTURE)
  const { family, path } = one(io)
  const bytes = readFileSync(path)
  expect(prune(family, io)).toBeUndefined()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, bytes)
  expect(emptyTrash(inTrash(io), io).outcomes.map(({ outcome }) => outcome)).toEqual(['back'])
  expect([new Vault(io).find(family.agent, family.head.id) !== undefined, inTrash(io)]).toEqual([true, []])
})

test('what came in its place meanwhile is not overwritten by undo', () => {
  const io = scratchIo(FIXTURE)
  const { family, path } = one(io)
  expect(prune(family, io)).toBeUndefined()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'another\n')
  expect(undoPrune(inTrash(io), io).map(({ outcome }) => outcome)).toEqual(['refused'])
  expect([readFileSync(path, 'utf8'), inTrash(io).length]).toEqual(['another\n', 1])
})

test('a session that a fork begins in is needed; one that no other needs is not', () => {
  const fixture = fileURLToPath(new URL('../../agents/codex/fixtures/handmade-fork', import.meta.url))
  const io = scratchIo(fixture)
  const ofForks = agents.find(({ backup: keep }) => keep?.files.codex)!
  const { heads } = listAll(ofForks, io)
  const needed = neededByForks(ofForks, heads, io)
  const forked = new Set(heads.map((head) => head.forked_from))
  const told = heads.map((head) => [head.id, isNeeded(ofForks, head, needed, io)])
  expect(needed.size).toBeGreaterThan(0)
  expect(told.filter(([, is]) => is).map(([id]) => id)).toEqual(
    heads.map(({ id }) => id).filter((id) => forked.has(id)),
  )
})

test('old safety copies go when their session is captured, others stay', () => {
  const io = scratchIo(FIXTURE)
  const { family } = one(io)
  const archive = new Archive(io)
  archive.capture(family.agent, family.head)
  archive.close()
  const root = join(io.env.ION_HOME!, 'vault/safety', family.agent.id)
  for (const run of ['old', 'new', 'unknown']) {
    mkdirSync(join(root, run), { recursive: true })
    writeFileSync(join(root, run, 'copy'), '12345')
    utimesSync(join(root, run), 1e9, run === 'new' ? io.now().getTime() / 1000 : 1e9)
  }
  const sessionOf = (_agent: string, run: string): string | undefined =>
    run === 'unknown' ? undefined : family.head.id
  expect(dropSafetyCopies(sessionOf, io)).toBe(5)
  expect(readdirSync(root).sort()).toEqual(['new', 'unknown'])
})

/** Sessions with those of their sub-agents. */
function families(agent: Agent, io: Io): PruneGroup[] {
  const { heads } = listAll(agent, io)
  const below = (head: SessionHead): SessionHead[] =>
    heads.filter((other) => other.parent_session === head.id).flatMap((child) => [child, ...below(child)])
  return heads.filter((head) => !head.parent_session).map((head) => ({ agent, head, subAgents: below(head) }))
}

/** Some fixtures have a hundred. */
const MOST = 10

/** Ids of those that went. */
function pruneAll(agent: Agent, io: Io): string[] {
  const archive = new Archive(io)
  try {
    const some = families(agent, io).slice(0, MOST)
    return some.flatMap((family) => {
      const { stays } = pruneSession(archive, family, 'run', io)
      return stays === undefined ? [family.head.id] : []
    })
  } finally {
    archive.close()
  }
}

function seen(agent: Agent, io: Io): unknown[] {
  return listAll(agent, io).heads.map((head) => ({
    id: head.id,
    cwd: head.cwd,
    title: head.title,
    events: readAll(agent, head, io).events.map((event) => ['content' in event ? event.content : event.id]),
  }))
}

/** What Ion's own copy says. */
function archived(id: string, io: Io): unknown[] {
  const archive = agents.find(({ isArchive }) => isArchive)!
  const head = listAll(archive, io).heads.find((other) => other.id === id)
  return head ? readAll(archive, head, io).events : []
}

function objects(io: Io): string[] {
  const folder = join(io.env.ION_HOME!, 'vault/objects')
  return existsSync(folder) ? filesBelow(folder) : []
}
