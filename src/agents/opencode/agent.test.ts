import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { readAll } from '../../../test/support/read-all.ts'
import { sessionId } from '../../events/id.ts'
import { readContext } from '../../native/read-context.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { activeDatabase } from './paths.ts'
import { at, body, headOf, inRow, said, usage, world } from './test/expected-events.ts'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '1.18.33': [
      'ses_e1f5e72f1ffeFURK3kL1j0ogPI',
      'ses_e1f5e9036ffe1PmtK1O3RtDRaA',
      'ses_e1f665b60ffeEHlmS285Aovjrl',
      'ses_e1f66e65cffe3gLz11P2A081hP',
      'ses_e1f66f988ffebTB8NMkyJ0dbk5',
      'ses_e1f68df05ffeu942tDlpqCx4V5',
      'ses_e1f68ea51ffe9WQAX3TTZAS0RS',
      'ses_e1f69297cffew7GLSkX6ECMO0R',
      'ses_e1f69d717ffesSaoL6MOSB799j',
      'ses_e1f69ffc2ffeLJmlldxjpzVqTr',
      'ses_e1f6baa8affeUSAzqcUsgyikNn',
      'ses_e1f6bd52dffeIHvhKFblwo2y7t',
      'ses_e1f6d0500ffe6hB6eRPoyzt8iQ',
      'ses_e1f6d310fffe2Kf6vbBctI8v1c',
      'ses_e1f6d5ae9ffehgnFJuFjNSgjA7',
      'ses_e1f6e0ffaffenii9DGpUCq6SGQ',
      'ses_e1f6e5b6dffeNdDrSNMuYxuUZS',
      'ses_e1f6fdeeeffeavAJdXk5t5b12p',
      'ses_e1f6ff1c0ffepyziSDcw0okOUY',
      'ses_e1f7045a2ffenosLOeFGPV2k37',
      'ses_e1f706ee7ffeXEyR76MOi5oSP3',
      'ses_e1f71ce51ffekZj29huiIYobsm',
      'ses_ion_direct1',
    ],
    'handmade-json-tree': ['ses_0f0f0f0f0ffdTreeChildBBBBBB', 'ses_0f0f0f0f0ffeTreeSessionAAAA'],
    'handmade-json-tree-oldest': ['ses_8989898989feOldestWithParts', 'ses_8a8a8a8a8ffeOldestFirstForm'],
    'handmade-wal': ['ses_wal_archived', 'ses_wal_parts'],
  },
  meaning: {
    ses_wal_parts: {
      typed: ['Look at this picture\n[image image/png]\n[file /home/dev/shop/cart.ts]'],
      tokens: { input: 1000, output: 100, cache_read: 60, cache_write: 40, reasoning: 10 },
      failed: ['call_err'],
    },
  },
  lacks: { branches: 'its messages are a list' },
  overrides: [
    { env: (_io, root) => ({ XDG_DATA_HOME: root }), move: ['.local/share/opencode', 'opencode'] },
    { env: (_io, root) => ({ OPENCODE_DB: join(root, 'my', 'opencode.db') }), move: ['.local/share/opencode', 'my'] },
  ],
  openTransaction: (io) => {
    const database = openDatabase(activeDatabase(io))
    database.exec("BEGIN IMMEDIATE; UPDATE session SET title = 'half done'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})

test('a sub-agent is a separate session with its parent and the call that started it', () => {
  const io = world('1.18.33')
  const native = 'ses_e1f66e65cffe3gLz11P2A081hP'
  const parent = 'ses_e1f66f988ffebTB8NMkyJ0dbk5'
  const head = headOf(io, native)
  expect(head).toEqual({
    id: sessionId('opencode', native),
    agent: 'opencode',
    native_id: native,
    path: activeDatabase(io),
    title: 'Count files (@general subagent)',
    cwd: '/home/dev2/projects/shop',
    created_at: '2026-11-15T19:04:52.387Z',
    updated_at: '2026-11-15T19:04:52.788Z',
    model: 'stub-1',
    bytes: 444,
    revision: head.revision,
    agent_version: '1.18.33',
    format: 'sqlite',
    resumable: false,
    parent_session: sessionId('opencode', parent),
    spawned_by: 'call_1a1e0991980000058',
  })
  expect(agent.resumeCommand(head)).toBeUndefined()
  expect(body(io, parent).find((event) => event.id === head.spawned_by)).toMatchObject({
    type: 'tool_use',
    name: 'task',
    input: { description: 'Count files', prompt: 'Count the files in src', subagent_type: 'general' },
  })
  expect(agent.resumeCommand(headOf(io, parent))).toEqual(['opencode', '-s', parent])
})

test('a fork is a session like any other: only its title shows it', () => {
  const head = headOf(world('1.18.33'), 'ses_e1f6ff1c0ffepyziSDcw0okOUY')
  expect(head.title).toBe('Stub title 1 (fork #1)')
  expect(head).not.toHaveProperty('forked_from')
  expect(head).not.toHaveProperty('parent_session')
  expect(head.resumable).toBe(true)
})

test('a session with tools, reasoning, an interruption and a compaction', () => {
  const native = 'ses_e1f71ce51ffekZj29huiIYobsm'
  const events = body(world('1.18.33'), native)
  expect(events.slice(0, 5)).toEqual(
    inRow(native, [
      {
        type: 'user',
        id: 'msg_1e08e365f0013hTGWhSdV8bxfQ',
        timestamp: at(1794768778847),
        content: '"[[ls]] List the source files of the shop, please"',
      },
      {
        type: 'assistant',
        id: 'prt_1e08e55c9001bKDK4y09fFkiqG',
        timestamp: at(1794768786889),
        content: said('I will list the files.'),
        model: 'stub-1',
        ...usage(3352, 42, 0, 100),
      },
      {
        type: 'tool_use',
        id: 'call_1a1e08e559e000005',
        timestamp: at(1794768786959),
        name: 'bash',
        input: { command: 'ls -1 src', description: 'Runs ls -1 src' },
      },
      {
        type: 'tool_result',
        id: 'prt_1e08e55d70014PGLEG5nWfeXDe',
        timestamp: at(1794768787340),
        tool_use_id: 'call_1a1e08e559e000005',
        content: 'cart.ts\nindex.ts\nstock.ts\n',
        is_error: false,
      },
      {
        type: 'assistant',
        id: 'prt_1e08e5ba60014ovuyOPTW1FmLa',
        timestamp: at(1794768788390),
        content: said('STUB-REPLY 6: tool finished, here is the summary.'),
        model: 'stub-1',
        ...usage(3433, 42, 0, 100),
      },
    ]),
  )
  const from = events.findIndex((event) => event.id === 'msg_1e09aadfd001bESVkILbbg9tpE')
  expect(events.slice(from).map(({ seq: _seq, parent_id: _parent, ...event }) => event)).toEqual([
    { type: 'user', id: 'msg_1e09aadfd001bESVkILbbg9tpE', timestamp: at(1794769595901), content: 'After compaction' },
    {
      type: 'system',
      id: 'msg_1e09aae9d001rjG170JuzXW4g4',
      timestamp: at(1794769596061),
      subtype: 'interrupted',
      content: { name: 'MessageAbortedError', message: 'Aborted' },
      model: 'stub-1',
    },
    {
      type: 'user',
      id: 'msg_1e09b9a1c001515E2jIVmiu5am',
      timestamp: at(1794769656349),
      content: 'Typed after warm TUI resume',
    },
    {
      type: 'assistant',
      id: 'prt_1e09bec91001vIQrjt0nrLoOqJ',
      timestamp: at(1794769677457),
      content: said('STUB-REPLY 100: answer to "Typed after warm TUI resume"'),
      model: 'stub-1',
      ...usage(3684, 42, 0, 100),
    },
    {
      type: 'system',
      id: 'prt_1e09c02a9001M4d8Lzd3qYX3y6',
      timestamp: at(1794769683092),
      subtype: 'compaction_request',
      content: { auto: false },
    },
    {
      type: 'thinking',
      id: 'prt_1e09c0481001dvtBSIBtkCXNBw',
      timestamp: at(1794769683585),
      content: 'I think about the shop.',
      model: 'stub-1',
      // 26 written and 16 of reasoning, counted separately according to the agent's total.
      ...usage(1671, 42, 16, 100),
    },
    {
      type: 'compaction',
      id: 'prt_1e09c04b1001My8356b9bUjMJ1',
      timestamp: at(1794769683633),
      summary: 'STUB-REPLY 102: answer to "t mention the summary process or that context was compacted."',
      replaces: [],
    },
    { type: 'user', id: 'msg_1e09c194000176OAZtlEJUILMC', timestamp: at(1794769688896), content: 'After compaction' },
    {
      type: 'assistant',
      id: 'prt_1e09c1c8c00148fUHqNCV2H4sB',
      timestamp: at(1794769689740),
      content: said('STUB-REPLY 104: answer to "After compaction"'),
      model: 'stub-1',
      ...usage(3398, 42, 0, 100),
    },
  ])
})

test('an error of the provider, without its response headers', () => {
  const native = 'ses_e1f6d310fffe2Kf6vbBctI8v1c'
  expect(body(world('1.18.33'), native)).toEqual(
    inRow(native, [
      {
        type: 'user',
        id: 'msg_1e092d0ea001Mrp7AvDK25fNpy',
        timestamp: at(1794769080554),
        content: '"[[err400]] fails with 400"',
      },
      {
        type: 'system',
        id: 'msg_1e092de51001eRIMJu5tSKRAAT',
        timestamp: at(1794769083985),
        subtype: 'api_error',
        content: {
          name: 'APIError',
          message: 'stub says no (400)',
          statusCode: 400,
          isRetryable: false,
          responseBody: '{"error":{"message":"stub says no (400)","type":"invalid_request_error","code":"stub_error"}}',
          metadata: { url: 'http://127.0.0.1:4812/v1/chat/completions' },
        },
        model: 'stub-1',
      },
    ]),
  )
})

test('after a kill: a call without a result, and no text that was being streamed', () => {
  const io = world('1.18.33')
  expect(body(io, 'ses_e1f5e9036ffe1PmtK1O3RtDRaA').map((event) => event.type)).toEqual(['user', 'tool_use'])
  expect(body(io, 'ses_e1f6bd52dffeIHvhKFblwo2y7t').map((event) => event.type)).toEqual(['user', 'user', 'assistant'])
})

test('every type and state of a part, with everything still in the WAL', () => {
  const io = world('handmade-wal')
  expect(statSync(activeDatabase(io)).size).toBe(4096)
  const native = 'ses_wal_parts'
  const t = 1794800000000
  const head = headOf(io, native)
  expect(head).toMatchObject({ title: 'Look at this picture', model: 'stub-1', resumable: true })
  const reading = readContext(io)
  expect(readAll(agent, head, io, reading).events.slice(1)).toEqual(
    inRow(native, [
      {
        type: 'user',
        id: 'msg_a1',
        timestamp: at(t),
        content: [
          { type: 'text', text: 'Look at this picture' },
          { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
          { type: 'file', path: '/home/dev/shop/cart.ts', media_type: 'text/plain' },
        ],
      },
      {
        type: 'system',
        id: 'prt_a1_03',
        timestamp: at(t),
        subtype: 'synthetic',
        content: 'Called the Read tool with the following input: {"filePath":"/home/dev/shop/cart.ts"}',
      },
      {
        type: 'thinking',
        id: 'prt_a2_01',
        timestamp: at(t + 1100),
        content: 'First the list.',
        model: 'stub-1',
        ...usage(1000, 100, 10, 60, 40),
      },
      { type: 'tool_use', id: 'call_done', timestamp: at(t + 1200), name: 'bash', input: { command: 'ls' } },
      {
        type: 'tool_result',
        id: 'prt_a2_02',
        timestamp: at(t + 1300),
        tool_use_id: 'call_done',
        content: 'cart.ts\n',
        is_error: false,
      },
      { type: 'tool_use', id: 'call_shot', timestamp: at(t + 1310), name: 'read', input: { filePath: 'a.png' } },
      {
        type: 'tool_result',
        id: 'prt_a2_03',
        timestamp: at(t + 1320),
        tool_use_id: 'call_shot',
        content: [
          { type: 'text', text: 'Image read' },
          { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        ],
        is_error: false,
      },
      { type: 'tool_use', id: 'call_err', timestamp: at(t + 1400), name: 'bash', input: { command: 'false' } },
      {
        type: 'tool_result',
        id: 'prt_a2_04',
        timestamp: at(t + 1500),
        tool_use_id: 'call_err',
        content: 'exit 1',
        is_error: true,
      },
      { type: 'tool_use', id: 'call_run', timestamp: at(t + 1600), name: 'bash', input: { command: 'sleep 60' } },
      { type: 'tool_use', id: 'call_pend', timestamp: at(t + 1000), name: 'edit', input: { raw: '{"filePath":"/ho' } },
      {
        type: 'system',
        id: 'prt_a2_07',
        timestamp: at(t + 1700),
        subtype: 'api_error',
        content: { name: 'APIError', message: 'overloaded', statusCode: 529, isRetryable: true },
      },
      {
        type: 'native',
        id: 'prt_a2_09',
        timestamp: at(t + 1000),
        record: { type: 'from-the-future', payload: [1], id: 'prt_a2_09' },
      },
      {
        type: 'native',
        id: 'msg_a3',
        timestamp: at(t + 1000),
        timestamp_guessed: true,
        record: {
          info: { role: 'oracle', time: { created: t + 2000 }, id: 'msg_a3' },
          parts: [{ type: 'text', text: 'from the future', id: 'prt_a3_00' }],
        },
      },
    ]),
  )
  expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 2, bad: 0 })
})

test('an archived session is hidden; usage without text of the model is still counted', () => {
  const io = world('handmade-wal')
  const native = 'ses_wal_archived'
  expect(headOf(io, native)).toMatchObject({ title: 'Put away', hidden: true })
  expect(body(io, native)).toEqual(
    inRow(native, [
      {
        type: 'system',
        id: 'prt_b1_00',
        timestamp: at(1794800000100),
        subtype: 'subtask',
        content: { prompt: 'Count', description: 'Count files', agent: 'general', command: 'count' },
      },
      {
        type: 'system',
        id: 'msg_b2',
        timestamp: at(1794800000150),
        subtype: 'usage',
        content: null,
        model: 'stub-1',
        // Without a total the reasoning is inside the output.
        ...usage(7, 5, 2),
      },
    ]),
  )
})

test('changes by a running OpenCode are seen, and a part changed in place changes the revision', () => {
  const io = world('handmade-wal')
  const before = headOf(io, 'ses_wal_parts')
  const writer = openDatabase(activeDatabase(io))
  try {
    writer.exec(`
      PRAGMA wal_autocheckpoint = 0;
      UPDATE part SET time_updated = time_updated + 1, data = json_set(data, '$.state.status', 'completed',
        '$.state.output', 'slept') WHERE data ->> 'callID' = 'call_run'`)
    expect(headOf(io, 'ses_wal_parts').revision).not.toBe(before.revision)
    const result = body(io, 'ses_wal_parts').find(
      (event) => event.type === 'tool_result' && event.tool_use_id === 'call_run',
    )
    expect(result).toMatchObject({ id: 'prt_a2_05', content: 'slept', is_error: false })
  } finally {
    writer.close()
  }
})
