import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChangeLog } from './change-log.ts'
import { EventStreams, type Feed } from './event-stream.ts'
import { Frame } from './sse-event.ts'

/** A reader that takes nothing until it is told to. */
class Slow extends EventEmitter {
  written = ''
  waiting = 0
  isDestroyed = false
  bytesWritten = 0

  get writableLength(): number {
    return this.waiting
  }

  write(chunk: string | Buffer): boolean {
    this.written += chunk.toString()
    this.waiting += chunk.length
    this.bytesWritten += chunk.length
    return false
  }

  read(): void {
    this.waiting = 0
    this.emit('drain')
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }

  /** All but the status, which ends how things stand. */
  get told(): unknown[] {
    return [...this.written.matchAll(/^data: (.{3,})$/gm)].map(([, data]) => JSON.parse(data!))
  }
}

function setUp(): {
  feed: Feed
  streams: EventStreams
  put(key: string, value: string): void
  add(after?: string): Slow
} {
  const log = new ChangeLog<Frame>()
  const standing = new Map<string, Frame>()
  const feed: Feed = {
    log,
    standing: () => ({ history: [...standing.values()], now: [new Frame('status', () => ({}))] }),
  }
  const streams = new EventStreams(feed, { heartbeatMs: 1000, most: 3 })
  onTestFinished(() => streams.close())
  return {
    feed,
    streams,
    put(key, value) {
      const frame = new Frame('message_update', () => ({ key, value }))
      standing.set(key, frame)
      log.put(key, frame)
      streams.tell()
    },
    add(after) {
      const reader = new Slow()
      streams.add(reader as unknown as Socket, true, undefined, after)
      return reader
    },
  }
}

const large = 'x'.repeat(200_000)

test('a slow reader gets what is there by the time it reads, and nothing is kept for it meanwhile', () => {
  const { put, add } = setUp()
  put('a', large)
  const [slow, quick] = [add(), add()]
  expect(slow.told).toHaveLength(1)
  for (let n = 0; n < 1000; n++) {
    put('b', `${n}`)
    quick.read()
  }
  expect(slow.told).toHaveLength(1)
  expect(quick.told.at(-1)).toEqual({ key: 'b', value: '999' })
  slow.read()
  expect(slow.told.slice(1)).toEqual([{ key: 'b', value: '999' }])
})

test('a long history goes out in pieces, as it is read, and changes meanwhile come after it', () => {
  const { put, add } = setUp()
  for (let n = 0; n < 20; n++) put(`m${n}`, large)
  const reader = add()
  expect(reader.told.length).toBeLessThan(3)
  put('m0', 'changed')
  while (reader.waiting > 0) reader.read()
  expect(reader.told.map((one) => (one as { key: string }).key)).toEqual([
    ...Array.from({ length: 20 }, (_, n) => `m${n}`),
    'm0',
  ])
})

test('who comes back with the last id gets only what is newer; with another one, everything', () => {
  const { put, add } = setUp()
  put('a', '1')
  put('b', '1')
  const first = add()
  const id = /^id: (\d+)$/gm
  const last = [...first.written.matchAll(id)].at(-1)![1]!
  put('b', '2')
  expect(add(last).told).toEqual([{ key: 'b', value: '2' }])
  expect(add('7').told).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ])
})

test('one that takes nothing at all is dropped after a while; one that is only slow is not', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { put, add, streams } = setUp()
  put('a', large)
  const [dead, slow] = [add(), add()]
  for (let beat = 0; beat < 6; beat++) {
    slow.waiting -= 10
    vi.advanceTimersByTime(1000)
  }
  expect([dead.isDestroyed, slow.isDestroyed, streams.count]).toEqual([true, false, 1])
  while (slow.waiting > 0) slow.read()
  vi.advanceTimersByTime(1000)
  expect(slow.written.slice(-20)).toContain(': still here\n\n')
})

test('only so many are taken in', () => {
  const { add, streams } = setUp()
  for (let n = 0; n < 3; n++) add()
  expect(streams.isFull).toBe(true)
})
