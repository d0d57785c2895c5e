import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import type { SessionHead } from '../../events/session.ts'
import type { Io } from '../../platform/io.ts'
import { type IndexedSession, type PruneCandidate, pruneCandidates } from './candidates.ts'

type Row = IndexedSession & { readonly head: SessionHead }

const agent = agents.find(({ backup }) => backup?.files.config && !backup.tables)!
const fixture = fileURLToPath(new URL('../../agents/claude/fixtures/2.1.197', import.meta.url))

/** As the index has them. */
function rowsOf(of: Agent, io: Io): Row[] {
  return listAll(of, io).heads.map((head) => ({
    ...{ id: head.id, agent: of.id, native_id: head.native_id, path: head.path, bytes: 10, head },
    updated_at: '2026-01-01T00:00:00.000Z',
    parent_session: head.parent_session ?? null,
    forked_from: head.forked_from ?? null,
  }))
}

function candidatesOf(rows: readonly Row[], io: Io, pinReason = (_id: string): string | undefined => undefined) {
  return pruneCandidates({ rows, headOf: (row) => row.head, pinReason: (_agent, id) => pinReason(id) }, io)
}

function reasons(candidates: readonly PruneCandidate<Row>[]): (string | undefined)[] {
  return candidates.map((one) => one.keepReason())
}

test('an old session of a store may go; a pinned or recently used one is kept, with the reason', () => {
  const io = scratchIo(fixture)
  const [row] = rowsOf(agent, io).filter((one) => one.parent_session === null)
  expect(reasons(candidatesOf([row!], io))).toEqual([undefined])
  expect(reasons(candidatesOf([row!], io, (id) => (id === row!.native_id ? 'pinned' : undefined)))).toEqual(['pinned'])
  const recent = { ...row!, updated_at: new Date(io.now().getTime() - 60_000).toISOString() }
  expect(reasons(candidatesOf([recent], io))).toEqual(['it was used within the last hour'])
})

test('sub-agents belong to the session that started them, also in a circle; the latest use and all bytes count', () => {
  const io = scratchIo(fixture)
  const [row] = rowsOf(agent, io)
  const child = { ...row!, id: 'child', parent_session: row!.id, updated_at: '2026-02-02T00:00:00.000Z', bytes: 5 }
  const loop = { ...row!, id: 'loop', parent_session: 'child', bytes: 1 }
  const back = { ...child, id: 'child', parent_session: 'loop', bytes: 0 }
  const found = candidatesOf([{ ...row!, parent_session: null }, child, loop, back], io)
  expect(found.map(({ id, bytes, updated_at }) => [id, bytes, updated_at])).toEqual([
    [row!.id, 16, '2026-02-02T00:00:00.000Z'],
  ])
  expect(found[0]!.group().subAgents).toHaveLength(3)
})

test('a session that exists only in the archive is not a candidate', () => {
  const io = scratchIo(fixture)
  const [row] = rowsOf(agent, io)
  const copy = { ...row!, path: join(io.env.ION_HOME!, 'sessions', 'project', `${row!.id}.jsonl`) }
  expect(candidatesOf([copy], io)).toEqual([])
})

test('a session that cannot be examined is kept', () => {
  const io = scratchIo(fixture)
  const [row] = rowsOf(agent, io)
  const headOf = (): SessionHead => {
    throw new Error('it has gone')
  }
  const [candidate] = pruneCandidates(
    { rows: [{ ...row!, parent_session: null }], headOf, pinReason: () => undefined },
    io,
  )
  expect(candidate!.keepReason()).toBe('it has gone')
})

test('a session that a fork depends on is kept', () => {
  const io = scratchIo(fileURLToPath(new URL('../../agents/codex/fixtures/handmade-fork', import.meta.url)))
  const forkAgent = agents.find(({ backup }) => backup?.files.codex)!
  const rows = rowsOf(forkAgent, io)
  const isForkedFrom = ({ id }: Row): boolean => rows.some((row) => row.forked_from === id)
  const kept = candidatesOf(rows, io).filter((one) => one.keepReason() === 'another session was forked from it')
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.map(({ row }) => row)).toEqual(rows.filter(isForkedFrom))
})
