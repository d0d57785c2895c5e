import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

const TOOL = '01a1e4b4-b38e-76f2-9c15-60f83f5945a1'
const FAILED = '01a1e4b4-c4e3-776a-aece-c13cc8d6c1b7'
const TREE = '5e550000-0000-4000-8000-000000000001'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '0.87.1': [TOOL, '01a1e4b4-bc60-70d9-95b4-b278dffa865f', FAILED, '01a1e4b4-d5eb-74c2-a625-7a09c96ef249'],
    'handmade-tree': [TREE],
  },
  meaning: {
    [TOOL]: { typed: ['TOOL look at the shop', 'SECOND thing'], tokens: { input: 390, output: 60 }, failed: [] },
    [FAILED]: { typed: ['FAIL please', 'After the kill'], tokens: { input: 120, output: 20 } },
    [TREE]: {
      // `!ls` is a command of the user, not a prompt.
      typed: ['Find the slow query', 'Try the other way\n[image image/png]'],
      tokens: { input: 150, output: 30, cache_read: 15, cache_write: 3, reasoning: 6 },
      failed: ['call_1'],
      branches: { s1: 'u1' },
    },
  },
  overrides: [
    { env: (_io, root) => ({ PI_CODING_AGENT_DIR: root }), move: ['.pi/agent', '.'] },
    {
      env: (_io, root) => ({ PI_CODING_AGENT_SESSION_DIR: root }),
      move: ['.pi/agent/sessions/--home-dev-shop--', '.'],
    },
  ],
  lines: { session: TOOL, unknown: '{"type":"from_the_future","id":"f0f0f0f0","parentId":null}' },
})

const fixture = (name: string): Io => scratchIo(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)))

test("a head, complete: the user's name for it, and the session it was forked from", () => {
  const io = fixture('handmade-tree')
  const [head] = listAll(agent, io).heads
  expect(head).toMatchObject({
    title: 'The slow query',
    cwd: '/home/dev/shop',
    created_at: '2026-11-16T10:00:00.000Z',
    updated_at: '2026-11-16T10:00:11.000Z',
    model: 'stub-model',
    resumable: true,
    forked_from: '5e550000-0000-4000-8000-000000000000',
  })
  expect(agent.resumeCommand(head!)).toEqual(['pi', '--session', TREE])
  expect(listAll(agent, fixture('0.87.1')).heads.map(({ title }) => title)).toEqual([
    'TOOL look at the shop',
    'THINK about the shop',
    'FAIL please',
    'Hello from a terminal',
  ])
})

test('every kind of record becomes its event', () => {
  const io = fixture('handmade-tree')
  const { events } = readAll(agent, listAll(agent, io).heads[0]!, io)
  const kinds = events.map((event) => `${event.id} ${event.type}${event.type === 'system' ? `/${event.subtype}` : ''}`)
  expect(kinds.slice(1)).toEqual([
    'm0 system/model_change',
    'u1 user',
    'a1 thinking',
    'a1.1 assistant',
    'call_1 tool_use',
    'r1 tool_result',
    'b1 system/local_command',
    'a2 system/interrupted',
    's1 system/branch_summary',
    'u2 user',
    'a3 assistant',
    'c1 compaction',
  ])
  expect(events.find(({ id }) => id === 'u2')).toMatchObject({
    content: [
      { type: 'text', text: 'Try the other way' },
      { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    ],
  })
})

test('a failed turn is a separate event', () => {
  const io = fixture('0.87.1')
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id === FAILED)!
  const { events } = readAll(agent, head, io)
  expect(events.find((event) => event.type === 'system' && event.subtype === 'api_error')).toMatchObject({
    content: expect.stringContaining('stub error 400'),
  })
})
