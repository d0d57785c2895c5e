import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChangeLog } from './change-log.ts'
import { EventStreams, type Feed, SseEvent } from './event-stream.ts'

/** A response whose client reads nothing until `read` is called. */
class SlowResponse extends EventEmitter {
  written = ''
  waiting = 0
  isDestroyed = false
  readonly socket = { bytesWritten: 0 }

  get writableLength(): number {
    return this.waiting
  }

  write(chunk: string | Buffer): boolean {
    this.written += chunk.toString()
    this.waiting += chunk.length
    this.socket.bytesWritten += chunk.length
    return false
  }

  cork(): void {}

  uncork(): void {}

  read(): void {
    this.waiting = 0
    this.emit('drain')
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }

  /** All events except the status, which ends the current state. */
  get events(): unknown[] {
    return [...this.written.matchAll(/^data: (.{3,})$/gm)].map(([, data]) => JSON.parse(data!))
  }
}

function setUp(): {
  feed: Feed
  streams: EventStreams
  put(key: string, value: string): void
  add(lastEventId?: string): SlowResponse
} {
  const log = new ChangeLog<SseEvent>()
  const current = new Map<string, SseEvent>()
  const feed: Feed = {
    log,
    current: () => ({ history: [...current.values()], rest: [new SseEvent('status', () => ({}))] }),
  }
  const streams = new EventStreams(feed, { heartbeatMs: 1000, maxReaders: 3, form: 'full' })
  onTestFinished(() => streams.close())
  return {
    feed,
    streams,
    put(key, value) {
      const event = new SseEvent('message_update', () => ({ key, value }))
      current.set(key, event)
      log.put(key, event)
      streams.notify()
    },
    add(lastEventId) {
      const reader = new SlowResponse()
      streams.add(reader as unknown as ServerResponse, undefined, lastEventId)
      return reader
    },
  }
}

const large = 'x'.repeat(200_000)

test('a slow reader gets the current values when it reads, and nothing is queued for it meanwhile', () => {
  const { put, add } = setUp()
  put('a', large)
  const [slow, quick] = [add(), add()]
  expect(slow.events).toHaveLength(1)
  for (let n = 0; n < 1000; n++) {
    put('b', `${n}`)
    quick.read()
  }
  expect(slow.events).toHaveLength(1)
  expect(quick.events.at(-1)).toEqual({ key: 'b', value: '999' })
  slow.read()
  expect(slow.events.slice(1)).toEqual([{ key: 'b', value: '999' }])
})

test('a long history is sent in chunks as it is read, and later changes come after it', () => {
  const { put, add } = setUp()
  for (let n = 0; n < 20; n++) put(`m${n}`, large)
  const reader = add()
  expect(reader.events.length).toBeLessThan(3)
  put('m0', 'changed')
  while (reader.waiting > 0) reader.read()
  expect(reader.events.map((one) => (one as { key: string }).key)).toEqual([
    ...Array.from({ length: 20 }, (_, n) => `m${n}`),
    'm0',
  ])
})

test('a reader that reconnects with the last id gets only what is newer; with an unknown id, everything', () => {
  const { put, add } = setUp()
  put('a', '1')
  put('b', '1')
  const first = add()
  const id = /^id: (\d+)$/gm
  const last = [...first.written.matchAll(id)].at(-1)![1]!
  put('b', '2')
  expect(add(last).events).toEqual([{ key: 'b', value: '2' }])
  expect(add('7').events).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ])
})

test('a reader that reads nothing is dropped after a while; a slow one is not', () => {
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

test('the number of readers is limited', () => {
  const { add, streams } = setUp()
  for (let n = 0; n < 3; n++) add()
  expect(streams.isFull).toBe(true)
})
