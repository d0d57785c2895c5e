import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { IonEvent } from '../../events/schema.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'

function events(fixture: string, native: string): IonEvent[] {
  const io = scratchIo(fileURLToPath(new URL(`./fixtures/${fixture}`, import.meta.url)))
  const head = listAll(agent, io).heads.find((each) => each.native_id === native)!
  const read = readAll(agent, head, io)
  expect(read.problems).toEqual([])
  return read.events
}

/** Adds what follows from the order: `seq`, and the previous event as the parent. */
function inOrder(start: object, rest: readonly (Record<string, unknown> & { id: string })[]): unknown[] {
  const all = [start as { id: string }, ...rest]
  return all.map((event, seq) => ({ ...event, seq, parent_id: seq === 0 ? null : all[seq - 1]!.id }))
}

function ideState(folder: string): object {
  return {
    workspace_folders: [{ repository_root: folder, folder_root: folder }],
    workspace_folders_unchanged: false,
    current_terminal: { terminal_id: 0, current_working_directory: folder },
  }
}

const shop = '/home/dev3/projects/shop'

describe('auggie: events of items', () => {
  test('a session of the TUI, complete: the result of a tool comes from the next item', () => {
    const native = '9b1df380-6979-4017-9c59-ca69902d4ea5'
    const [first, second, third] = [
      'a7bdd7d4-ecfd-434b-8e2a-606397b8c318',
      'bcef0084-db1b-4163-be5a-7bf545c0efb4',
      '5c0f81dd-e7ab-4350-bde6-36c74e9724cf',
    ]
    const at = (seconds: string): { timestamp: string } => ({ timestamp: `2026-11-15T19:08:${seconds}Z` })
    const near = (seconds: string): object => ({ ...at(seconds), timestamp_guessed: true })
    const start = {
      type: 'session_start',
      v: 1,
      id: `${native}:start`,
      ...at('12.356'),
      session_id: native,
      agent: 'auggie',
      native_id: native,
      cwd: shop,
      project: shop,
      title: 'Stub title',
      model: 'stub-model',
      source: { agent_version: null, format: 'json' },
    }
    expect(events('0.36.0', native)).toEqual(
      inOrder(start, [
        { type: 'user', id: first, ...near('12.342'), content: 'Hello from the TUI [[READ src/tax.js]]' },
        { type: 'system', id: `${first}.1`, ...near('12.342'), subtype: 'ide_state', content: ideState(shop) },
        {
          type: 'assistant',
          id: `${first}.2`,
          ...at('12.342'),
          content: [{ type: 'text', text: 'I will use a tool. ' }],
          model: 'stub-model',
        },
        {
          type: 'tool_use',
          id: 'toolu_stub_90',
          ...at('12.343'),
          name: 'view',
          input: { path: 'src/tax.js', type: 'file' },
        },
        {
          type: 'tool_result',
          id: second,
          ...at('12.669'),
          tool_use_id: 'toolu_stub_90',
          content:
            "Here's the result of running `cat -n` on src/tax.js:\n     1\texport const VAT = 0.25;\n" +
            '     2\texport function withTax(amount) {\n     3\t  return amount * (1 + VAT);\n     4\t}\n     5\t\n' +
            'Total lines in file: 5\n',
          is_error: false,
        },
        {
          type: 'assistant',
          id: `${second}.1`,
          ...at('12.896'),
          content: [{ type: 'text', text: 'DONE, the tool result was read.' }],
          model: 'stub-model',
        },
        { type: 'user', id: third, ...near('31.937'), content: 'TUI second turn' },
        {
          type: 'assistant',
          id: `${third}.1`,
          ...at('31.937'),
          content: [{ type: 'text', text: 'ECHO: TUI second turn\n' }],
          model: 'stub-model',
        },
      ]),
    )
  })

  test('images, files, thinking, tokens, a summary, unknown nodes and an item that was not completed', () => {
    const item = (n: number): string => `a0000000-0000-4000-8000-00000000000${n}`
    const at = (seconds: number): { timestamp: string } => ({ timestamp: `2026-11-15T10:00:${seconds}.000Z` })
    const near = (seconds: number): object => ({ ...at(seconds), timestamp_guessed: true })
    const [start, ...rest] = events('handmade-nodes', 'a0000000-0000-4000-8000-0000000000aa')
    expect(start).toMatchObject({ cwd: shop, parent_session: 'c0000000-0000-4000-8000-000000000001' })
    const expected = [
      {
        type: 'user',
        id: item(1),
        ...near(11),
        content: [
          { type: 'text', text: 'What is in these?' },
          { type: 'image', media_type: 'image/jpeg', data: 'aGk=' },
          { type: 'file', path: 'plan.pdf', media_type: 'application/pdf', data: 'aGk=' },
        ],
      },
      { type: 'system', id: `${item(1)}.1`, ...near(11), subtype: 'ide_state', content: ideState(shop) },
      {
        type: 'system',
        id: `${item(1)}.2`,
        ...near(11),
        subtype: 'context',
        content: '[context] rules of the workspace',
      },
      {
        type: 'thinking',
        id: `${item(1)}.3`,
        ...at(11),
        content: 'Let me look.',
        model: 'stub-model',
        token_usage: { input: 30, output: 9, cache_read: 4, cache_write: 2, reasoning: 0 },
        call: { id: 'a0000000-0000-4000-8000-000000000001' },
      },
      { type: 'system', id: `${item(1)}.4`, ...at(11), subtype: 'redacted_thinking', content: null },
      { type: 'assistant', id: `${item(1)}.5`, ...at(12), content: [{ type: 'text', text: 'Two things.' }] },
      { type: 'tool_use', id: 'call-1', ...at(14), name: 'shot', input: '{"url":' },
      { type: 'system', id: `${item(1)}.7`, ...at(15), subtype: 'changed_files', content: [{ path: 'a.ts' }] },
      {
        type: 'tool_result',
        id: item(2),
        ...at(17),
        tool_use_id: 'call-1',
        content: [
          { type: 'text', text: 'a page' },
          { type: 'image', media_type: 'image/png', data: 'aGk=' },
        ],
        is_error: true,
      },
      { type: 'native', id: `${item(2)}.1`, ...near(22), record: { id: 3, type: 77, future_node: { a: 1 } } },
      { type: 'assistant', id: `${item(2)}.2`, ...at(22), content: [{ type: 'text', text: 'It failed.' }] },
      { type: 'native', id: `${item(2)}.3`, ...at(25), record: { id: 2, type: 78, future: true } },
      { type: 'compaction', id: item(3), ...near(35), summary: 'SUMMARY: two things, one failure.', replaces: [] },
      {
        type: 'system',
        id: `${item(3)}.1`,
        ...near(35),
        subtype: 'ide_state',
        content: ideState('/home/dev3/projects/other'),
      },
      { type: 'user', id: item(4), ...near(45), content: 'never answered' },
      { type: 'system', id: `${item(4)}.1`, ...at(45), subtype: 'interrupted', content: null },
    ]
    expect([start, ...rest]).toEqual(inOrder(start!, expected))
  })

  test('an item without nodes, which Auggie never sends, and an incomplete one', () => {
    const native = '0a6e0000-0000-4000-8000-00000000000c'
    const time = { timestamp: '2026-11-15T18:59:42.996Z' }
    expect(events('0.36.0', native).slice(1, 4)).toEqual([
      {
        type: 'user',
        seq: 1,
        id: 'item-1',
        parent_id: `${native}:start`,
        ...time,
        timestamp_guessed: true,
        content: 'NOCOMPL user',
      },
      {
        type: 'assistant',
        seq: 2,
        id: 'item-1.1',
        parent_id: 'item-1',
        ...time,
        content: [{ type: 'text', text: 'NOCOMPL assistant' }],
      },
      {
        type: 'system',
        seq: 3,
        id: 'item-1.2',
        parent_id: 'item-1.1',
        ...time,
        subtype: 'interrupted',
        content: null,
      },
    ])
  })

  test('an empty history is an empty session', () => {
    expect(events('0.36.0', '8b00fa32-2547-47d3-9545-45eb4f395342').map((event) => event.type)).toEqual([
      'session_start',
    ])
  })

  test('the user’s address is in the file and not in the events', () => {
    const reported = JSON.stringify(events('0.36.0', '9b1df380-6979-4017-9c59-ca69902d4ea5'))
    expect(reported).toContain('stub-model')
    expect(reported).not.toContain('dev3@example.com')
  })

  test('items of unknown shapes are reported and kept, and do not affect others', () => {
    const io = scratchIo(fileURLToPath(new URL('./fixtures/handmade-nodes', import.meta.url)))
    const head = listAll(agent, io).heads[1]!
    const bad = [
      null,
      'text',
      {},
      { exchange: 7 },
      { completed: true, exchange: { request_nodes: [{ type: 1, tool_result_node: {} }] } },
      { completed: true, exchange: { response_nodes: [{ type: 5, tool_use: { tool_use_id: 'x' } }] } },
      { completed: true, exchange: { request_nodes: ['node'] } },
    ]
    const good = { completed: true, exchange: { request_message: 'still here' } }
    writeFileSync(head.path, JSON.stringify({ chatHistory: [...bad, good] }))
    const reading = readContext(io)
    const read = readAll(agent, head, io, reading)
    expect(read.events.slice(1, -1).map((event) => event.type === 'native' && event.record)).toEqual(bad)
    expect(read.events.at(-1)).toMatchObject({ type: 'user', id: 'item-8', content: 'still here' })
    expect(read.problems.map((problem) => problem.problem)).toEqual([
      'record item-4 is not as expected: exchange is not an object',
      'record item-5 is not as expected: tool_use_id is not a string',
      'record item-6 is not as expected: tool_name is not a string',
      'record item-7 is not as expected: request node is not an object',
    ])
    expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 7, bad: 0 })
    writeFileSync(head.path, '{"chatHistory":{}}')
    expect(readAll(agent, head, io).problems).toEqual([
      { code: 'invalid_record', problem: 'not a session: chatHistory is not an array', path: head.path },
    ])
  })
})
