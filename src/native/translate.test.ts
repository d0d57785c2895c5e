import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { isEvent, isProblem, type Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from './read-context.ts'
import { type Keyed, translate } from './translate.ts'

const head: SessionHead = {
  id: '0b1f5f0e-0000-4000-8000-000000000001',
  agent: 'some',
  native_id: 'n1',
  path: '/store/n1',
  title: 'A title',
  cwd: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
  model: 'm',
  bytes: 0,
  revision: 'r',
  agent_version: '1.0',
  format: 'lines',
  resumable: true,
  git: { branch: 'main' },
  forked_from: 'f',
  parent_session: 'p',
  spawned_by: 's',
}

test('frames the records, keeps unknown ones, counts everything', () => {
  const span = { path: '/store/n1', offset: 10, length: 5 }
  const records: (Keyed<unknown> | Problem)[] = [
    { record: 'hello', key: 'k1', span },
    { code: 'not_json', problem: 'bad line', path: '/store/n1' },
    { record: 'books', key: 'k2' },
    { record: { new: true, timestamp: '2026-01-01T00:00:05Z' }, key: 'k3' },
    { record: 'throws', key: 'k4', span },
    { record: 'half', key: 'k5' },
  ]
  const reading = readContext(scratchIo())
  const items = [
    ...translate(
      head,
      records,
      (record) => {
        if (record === 'hello') return [{ type: 'user', content: 'hello', time: '2026-01-01T00:00:01Z' }]
        if (record === 'books') return []
        if (record === 'throws') throw new Error('content is not an array')
        if (record === 'half')
          return [
            { type: 'assistant', content: [] },
            { type: 'native', record: { odd: 1 } },
          ]
        return undefined
      },
      reading,
    ),
  ]
  const guessed = { timestamp: '2026-01-01T00:00:05.000Z', timestamp_guessed: true }
  expect(items).toEqual([
    {
      event: {
        type: 'session_start',
        seq: 0,
        id: 'n1:start',
        parent_id: null,
        timestamp: '2026-01-01T00:00:00.000Z',
        v: 1,
        session_id: head.id,
        agent: 'some',
        native_id: 'n1',
        cwd: null,
        project: null,
        title: 'A title',
        model: 'm',
        git: { branch: 'main' },
        forked_from: 'f',
        parent_session: 'p',
        spawned_by: 's',
        source: { agent_version: '1.0', format: 'lines' },
      },
    },
    {
      event: {
        type: 'user',
        seq: 1,
        id: 'k1',
        parent_id: 'n1:start',
        timestamp: '2026-01-01T00:00:01.000Z',
        content: 'hello',
      },
      span,
    },
    { code: 'not_json', problem: 'bad line', path: '/store/n1' },
    {
      event: {
        type: 'native',
        seq: 2,
        id: 'k3',
        parent_id: 'k1',
        timestamp: '2026-01-01T00:00:05.000Z',
        record: { new: true, timestamp: '2026-01-01T00:00:05Z' },
      },
    },
    {
      code: 'invalid_record',
      problem: 'record k4 is not as expected: content is not an array',
      path: '/store/n1',
      offset: 10,
    },
    { event: { type: 'native', seq: 3, id: 'k4', parent_id: 'k3', ...guessed, record: 'throws' }, span },
    { event: { type: 'assistant', seq: 4, id: 'k5', parent_id: 'k4', ...guessed, content: [] } },
    { event: { type: 'native', seq: 5, id: 'k5.1', parent_id: 'k5', ...guessed, record: { odd: 1 } } },
  ])
  expect(reading.coverage).toEqual({ known: 1, skipped: 1, native: 3, bad: 0 })
})

test('without a start time a session starts at its last known time, marked as guessed', () => {
  const bare = { ...head, created_at: null, updated_at: '2026-01-02T00:00:00.000Z' }
  const [start] = [...translate(bare, [], () => undefined, readContext(scratchIo()))]
  expect(start).toMatchObject({ event: { timestamp: '2026-01-02T00:00:00.000Z', timestamp_guessed: true } })
})

test('a value that is nested too deep is reported and replaced, and the rest stays', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
  const records: Keyed<unknown>[] = [
    { record: 'call', key: 'k1' },
    { record: deep, key: 'k2' },
    { record: 'said', key: 'k3' },
  ]
  const items = [
    ...translate(
      head,
      records,
      (record) => {
        if (record === 'call') return [{ type: 'tool_use', name: 'x', input: { deep } }]
        return record === 'said' ? [{ type: 'user', content: 'after' }] : undefined
      },
      readContext(scratchIo()),
    ),
  ].slice(1)
  expect(items.filter(isProblem)).toEqual([
    { code: 'too_deep', problem: 'record k1: input is nested more than 500 levels deep', path: '/store/n1' },
    { code: 'too_deep', problem: 'record k2: record is nested more than 500 levels deep', path: '/store/n1' },
  ])
  expect(items.flatMap((item) => (isEvent(item) ? [item.event] : []))).toMatchObject([
    { type: 'tool_use', id: 'k1', name: 'x', input: '[nested too deep]' },
    { type: 'native', id: 'k2', record: '[nested too deep]' },
    { type: 'user', id: 'k3', content: 'after' },
  ])
})
