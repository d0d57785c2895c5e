import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { parseEvent } from '../events/log-line.ts'
import type { IonEvent } from '../events/schema.ts'
import { toJson, toJsonl } from './canonical.ts'

const start: IonEvent = {
  type: 'session_start',
  seq: 0,
  id: 's',
  parent_id: null,
  timestamp: '2026-03-01T10:00:00.000Z',
  v: 1,
  session_id: '11111111-1111-4111-8111-111111111111',
  agent: 'an-agent',
  native_id: 'n',
  cwd: '/srv/shop',
  project: '/srv/shop',
  title: 'A title',
  model: 'a-model',
  source: { agent_version: null, format: 'x' },
}

const text = fc.string({ unit: 'binary', maxLength: 30 })
const id = fc.string({ minLength: 1, maxLength: 12 })
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('image'), media_type: fc.option(text) }, { requiredKeys: ['type', 'media_type'] }),
  fc.record({ type: fc.constant('file'), path: text, media_type: fc.option(text) }),
)
const content = fc.oneof(text, fc.array(block, { maxLength: 3 }))
// As it is after a log was read: JSON has no undefined and no negative zero.
const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as unknown)
const body = fc.oneof(
  fc.record({ type: fc.constant('user'), content }),
  fc.record({ type: fc.constant('assistant'), content: fc.array(block, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('thinking'), content: text }),
  fc.record({ type: fc.constant('tool_use'), name: text, input: value }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: text, content, is_error: fc.boolean() }),
  fc.record({ type: fc.constant('compaction'), summary: text, replaces: fc.array(text, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('system'), subtype: text, content: value }),
  fc.record({ type: fc.constant('native'), record: value, from_a_later_version: value }),
  fc.record({ type: fc.constant('session_end'), reason: fc.constantFrom('completed', 'interrupted', 'error') }),
)
const time = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const event = fc
  .tuple(fc.record({ id, parent_id: fc.option(id), timestamp: time, seq: fc.nat() }), body)
  .map(([base, rest]) => ({ ...base, ...rest }) as IonEvent)

function readLog(pieces: Iterable<string>): IonEvent[] {
  const lines = [...pieces].join('').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => parseEvent(JSON.parse(line), 1))
}

test('jsonl reads back equal, json holds the same events: any events', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (rest) => {
      const events = [start, ...rest]
      expect(readLog(toJsonl(events))).toEqual(events)
      expect((JSON.parse([...toJson(events)].join('')) as { events: unknown }).events).toEqual(events)
    }),
  )
})

const fixtures = agents.flatMap((agent) => {
  const folder = fileURLToPath(new URL(`../agents/${agent.id}/fixtures/`, import.meta.url))
  return existsSync(folder) ? readdirSync(folder).map((version) => [agent, join(folder, version)] as const) : []
})

test.each(fixtures.map(([agent, folder]) => [folder.slice(-40), agent, folder] as const))(
  'jsonl reads back equal: %s',
  (_name, agent, folder) => {
    const io = scratchIo(folder)
    for (const head of listAll(agent, io).heads) {
      const { events } = readAll(agent, head, io)
      expect(readLog(toJsonl(events))).toEqual(events)
    }
  },
)

test('json: the header first, then the events', () => {
  const said: IonEvent = { type: 'user', seq: 1, id: 'u', parent_id: 's', timestamp: start.timestamp, content: 'hello' }
  expect(JSON.parse([...toJson([start, said])].join(''))).toEqual({
    session: {
      v: 1,
      session_id: '11111111-1111-4111-8111-111111111111',
      agent: 'an-agent',
      native_id: 'n',
      cwd: '/srv/shop',
      project: '/srv/shop',
      title: 'A title',
      model: 'a-model',
      source: { agent_version: null, format: 'x' },
      created_at: '2026-03-01T10:00:00.000Z',
    },
    events: [start, said],
  })
  expect(JSON.parse([...toJson([])].join(''))).toEqual({ session: null, events: [] })
})

test('what is nested too deep to be written says so and harms nothing else', () => {
  const record = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
  const deep: IonEvent = { type: 'native', seq: 1, id: 'd', parent_id: 's', timestamp: start.timestamp, record }
  expect(readLog(toJsonl([start, deep, start]))).toEqual([
    start,
    { ...deep, record: '[nested too deep to be written as JSON]' },
    start,
  ])
})
