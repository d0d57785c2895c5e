import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { isProblem } from '../events/item.ts'
import { openMemoryCatalog } from './open.ts'
import { readSession } from './read-session.ts'
import { isMessage, readTail } from './read-tail.ts'

const ID = '11111111-1111-4111-8111-111111111111'

/** Turns of one megabyte each, mostly tool output. */
function largeSession(turns: number): ReturnType<typeof scratchIo> {
  const io = scratchIo()
  const folder = join(io.home, '.claude/projects/-home-dev-shop')
  mkdirSync(folder, { recursive: true })
  let parentUuid: string | null = null
  const record = (n: number, type: string, content: unknown): string => {
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
    const line = {
      parentUuid,
      type,
      uuid,
      timestamp: time,
      cwd: '/home/dev/shop',
      sessionId: ID,
      message: { role: type, content },
    }
    parentUuid = uuid
    return `${JSON.stringify(line)}\n`
  }
  const lines = Array.from({ length: turns }, (_, n) => [
    record(3 * n, 'user', `prompt ${n}`),
    record(3 * n + 1, 'user', [{ type: 'tool_result', tool_use_id: `call-${n}`, content: 'x'.repeat(1e6) }]),
    record(3 * n + 2, 'assistant', [{ type: 'text', text: `answer ${n}` }]),
  ])
  writeFileSync(join(folder, `${ID}.jsonl`), lines.flat().join(''))
  return io
}

test('the last messages of a large session are read without the rest of it, and are the same events', () => {
  const io = largeSession(12)
  const catalog = openMemoryCatalog(io)
  catalog.refresh()
  const located = catalog.locate(catalog.find(ID))
  const all = [...readSession(located, io)].flatMap((item) => (isProblem(item) ? [] : [item.event]))
  const tail = readTail(located, 3, io).items.flatMap((item) => (isProblem(item) ? [] : [item.event]))
  expect(tail.length).toBeLessThan(all.length / 2)
  const known = (events: typeof all): unknown[] =>
    events.slice(1).map(({ id, type, timestamp, parent_id }) => ({ id, type, timestamp, parent_id }))
  // The first one follows an event that was not read.
  expect(known(tail).slice(1)).toEqual(known(all).slice(-(tail.length - 2)))
  expect(readTail(located, 1000, io).items.filter(isMessage)).toHaveLength(24)
  catalog.close()
})
