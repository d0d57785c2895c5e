import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

const PARENT = '5e550000-0000-4000-8000-00000000000a'
const FORK = '5e550000-0000-4000-8000-00000000000b'

const at = (second: number): string => `2026-11-16T10:00:${String(second).padStart(2, '0')}.000Z`

function answer(
  id: string,
  second: number,
  total: number,
  content: unknown[] = [{ type: 'text', text: 'Done' }],
): object {
  const usage = { input: 100, output: 20, cacheRead: 5, cacheWrite: 1, totalTokens: 126, cost: { input: 0, total } }
  const message = { role: 'assistant', content, provider: 'stub', model: 'stub-model', usage, stopReason: 'stop' }
  return { type: 'message', id, parentId: null, timestamp: at(second), message }
}

function write(io: Io, session: string, records: readonly object[], parentSession?: string): void {
  const folder = join(io.home, '.pi', 'agent', 'sessions', '--home-dev-shop--')
  mkdirSync(folder, { recursive: true })
  const first = { type: 'session', version: 3, id: session, timestamp: at(0), cwd: '/home/dev/shop', parentSession }
  const lines = [first, ...records].map((record) => `${JSON.stringify(record)}\n`)
  writeFileSync(join(folder, `2026-11-16T10-00-00-000Z_${session}.jsonl`), lines.join(''))
}

/** The total of so many calls. */
const calls = (n: number): object => ({
  input: 100 * n,
  output: 20 * n,
  cache_read: 5 * n,
  cache_write: n,
  reasoning: 0,
})

test('a fork that copies the records of its parent adds only its own calls', () => {
  const io = scratchIo()
  const copied = [answer('aaaa0001', 1, 0), answer('aaaa0002', 2, 0)]
  write(io, PARENT, copied)
  // Ids are short: that one is in both is no proof.
  write(io, FORK, [...copied, answer('bbbb0001', 3, 0)], `/home/dev/.pi/agent/sessions/x_${PARENT}.jsonl`)
  write(io, '5e550000-0000-4000-8000-00000000000c', [answer('aaaa0001', 9, 0)])
  expect(storeUsage(agent, io).total).toEqual(calls(4))
})

test('the stored cost in micro-dollars, and an answer without blocks counts too', () => {
  const io = scratchIo()
  write(io, PARENT, [answer('aaaa0001', 1, 0.0123456), answer('aaaa0002', 2, 0, [])])
  expect(storeUsage(agent, io).total).toEqual(calls(2))
  const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
  expect(events.flatMap(({ call }) => call ?? [])).toEqual([
    { id: `aaaa0001/${at(1)}`, cost: 12_346 },
    { id: `aaaa0002/${at(2)}` },
  ])
})
