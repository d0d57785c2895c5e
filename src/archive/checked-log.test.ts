import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { Archive } from './archive.ts'
import { checkLog } from './checked-log.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'
const start = {
  type: 'session_start', v: 1, seq: 0, id: 'start', parent_id: null, timestamp: '2026-11-14T09:12:04.000Z', session_id: ID,
  agent: 'codex', native_id: ID, cwd: '/home/dev/shop', project: '/home/dev/shop', title: 'Refunds',
  source: { agent_version: null, format: 'x' },
} // biome-ignore format: a record
const user = { type: 'user', seq: 1, id: 'u', parent_id: null, timestamp: '2026-11-14T09:12:05.000Z', content: 'hello' }

function logOf(...records: unknown[]): string {
  const file = join(scratchFolder(), 'log.jsonl')
  writeFileSync(
    file,
    records
      .map((record) => (typeof record === 'string' ? record : JSON.stringify(record)))
      .map((line) => `${line}\n`)
      .join(''),
  )
  return file
}

test.each([
  ['nothing', [], 'is empty'],
  ['a log without a header', [user], 'line 1 of .*: not a session_start with a version'],
  ['a header of a newer Ion', [{ ...start, v: 9 }], 'line 1 of .*'],
  ['an id that could lead elsewhere', [{ ...start, session_id: '../../x' }], 'line 1 of .*session_id'],
  ['a line that is not JSON', [start, '{"type":'], 'line 2 of .*: not JSON'],
  ['an event without its content', [start, { ...user, content: 7 }], 'line 2 of .*: content'],
  ['a second header', [start, { ...start, seq: 1, id: 'again' }], 'line 2 of .*: a second session_start'],
  ['an id twice', [start, user, { ...user, seq: 2 }], 'line 3 of .*: duplicate id "u"'],
  ['an order that goes back', [start, user, { ...user, id: 'u2', seq: 1 }], 'line 3 of .*: seq 1 after 1'],
])('%s is refused whole, with the line', (_name, records, message) => {
  const file = logOf(...records)
  expect(() => checkLog(file, scratchIo())).toThrow(new RegExp(message))
})

test.each([
  ['in the middle of a line', -9, { line: 3, bytes: JSON.stringify(user).length + 2 - 9 }],
  ['before the last newline', -1, undefined],
  ['nowhere', undefined, undefined],
])('a log that was cut %s', (_name, end, truncated) => {
  const file = logOf(start, user, { ...user, seq: 2, id: 'u2' })
  writeFileSync(file, readFileSync(file).subarray(0, end))
  const log = checkLog(file, scratchIo())
  expect([[...log.events()].length, log.truncated]).toEqual([truncated ? 2 : 3, truncated])
})

test('a log that was cut in its first line is refused', () => {
  const file = logOf(start)
  writeFileSync(file, readFileSync(file).subarray(0, 100))
  expect(() => checkLog(file, scratchIo())).toThrow(
    /^line 1 of .*: not a session log \(JSON Lines\), or one that is truncated in its first line; nothing/,
  )
})

test('a log is imported once', () => {
  const io = scratchIo()
  const { start: header, events } = checkLog(logOf(start, user), io)
  const archive = new Archive(io)
  expect([archive.import(header, events()), archive.import(header, events())]).toEqual([2, 0])
  archive.close()
})
