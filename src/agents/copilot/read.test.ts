import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Problem } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { eventText } from '../../events/text.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

function open(io: Io, native: string): { head: SessionHead; events: IonEvent[]; problems: Problem[] } {
  const head = listAll(agent, io).heads.find((each) => each.native_id === native)!
  return { head, ...readAll(agent, head, io) }
}

/** The session in short: type or subtype, the start of the text, and the sub-agent. */
function outline(events: readonly IonEvent[]): string[] {
  return events.map((event) => {
    const content = event.type === 'system' && typeof event.content === 'string' ? event.content : eventText(event)
    const kind = event.type === 'system' ? `system ${event.subtype}` : event.type
    return `${event.sub_agent ? '  ' : ''}${kind}: ${content.slice(0, 40).replaceAll('\n', '⏎')}`.trimEnd()
  })
}

const shop = '/home/dev1/projects/shop'

describe('copilot: events of records', () => {
  test('an imported session, complete', () => {
    const native = '612ded6b-8391-4cff-bc93-940133c079d8'
    const { events } = open(scratchIo(fixture('1.0.102')), native)
    const at = (ms: number): string => `2026-11-15T18:54:27.${ms}Z`
    expect(events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: `${native}:start`,
        parent_id: null,
        timestamp: '2026-11-15T10:00:00.000Z',
        session_id: native,
        agent: 'copilot',
        native_id: native,
        cwd: shop,
        project: shop,
        title: 'Imported one',
        model: 'claude-opus-5-5',
        git: { branch: 'main' },
        source: { agent_version: '1.0.102', format: 'events-jsonl' },
      },
      {
        type: 'user',
        seq: 1,
        id: '84433ca4-ac7b-41ac-aa67-095d6b2d3139',
        parent_id: `${native}:start`,
        timestamp: at(868),
        content: 'IMPORTED question héllo',
      },
      {
        type: 'assistant',
        seq: 2,
        id: 'd5e6fbf8-cc64-4430-bceb-89378648735f',
        parent_id: '84433ca4-ac7b-41ac-aa67-095d6b2d3139',
        timestamp: at(869),
        content: [{ type: 'text', text: 'IMPORTED I will look' }],
        model: 'claude-opus-5-5',
      },
      {
        type: 'tool_use',
        seq: 3,
        id: '4ef56ca6-9c0d-48e7-a1bf-8a031033f177',
        parent_id: 'd5e6fbf8-cc64-4430-bceb-89378648735f',
        timestamp: at(869),
        name: 'Bash',
        input: { command: 'ls src' },
      },
      {
        type: 'tool_result',
        seq: 4,
        id: 'd22273a5-173b-4711-9650-c9b63242b2b7',
        parent_id: '4ef56ca6-9c0d-48e7-a1bf-8a031033f177',
        timestamp: at(869),
        tool_use_id: '4ef56ca6-9c0d-48e7-a1bf-8a031033f177',
        content: 'IMPORTED cart.ts',
        is_error: false,
      },
      {
        type: 'assistant',
        seq: 5,
        id: 'a689abbc-44fb-436d-838e-20f474a2e45b',
        parent_id: 'd22273a5-173b-4711-9650-c9b63242b2b7',
        timestamp: at(869),
        content: [{ type: 'text', text: 'IMPORTED final answer' }],
      },
    ])
  })

  test('a sub-agent: its events are marked, and its prompt is not the user’s', () => {
    const { events } = open(scratchIo(fixture('1.0.102')), 'aaaaaaaa-9999-4999-8999-999999999999')
    expect(outline(events)).toEqual([
      'session_start: SUB',
      'user: SUB⏎#tool task {"name":"sub","descriptio',
      'system system_prompt: [vendor text removed]...................',
      'system usage:',
      'assistant: Calling tool.',
      'tool_use: task sub sub SUBPROMPT #tool bash {"comm',
      '  system subagent_started:',
      '  system model_change:',
      '  system agent_prompt: SUBPROMPT #tool bash {"command":"ls","de',
      '  system system_prompt: [vendor text removed]...................',
      '  system usage:',
      '  assistant: Calling tool.',
      '  tool_use: bash ls l',
      '  tool_result: README.md⏎notes.txt⏎package.json⏎src⏎<sh',
      '  system usage:',
      '  assistant: STUB-OK msgs=4 prompts=1',
      '  system subagent_completed:',
      'tool_result: STUB-OK msgs=4 prompts=1',
      'system usage:',
      'assistant: STUB-OK msgs=4 prompts=1',
    ])
    const marks = new Set(events.flatMap((event) => event.sub_agent ?? []))
    expect(marks).toEqual(new Set(['72a28d39-ec1f-4b30-9c88-d0c8c694b09c']))
  })

  test('a compaction: earlier events stay, the trace of its model call is skipped, its tokens count', () => {
    const { head, events } = open(scratchIo(fixture('1.0.102')), 'bbbbbbbb-2222-4222-8222-222222222222')
    expect(outline(events)).toEqual([
      'session_start: tui-name',
      'system model_change:',
      'user: TUI cold',
      'system system_prompt: [vendor text removed]...................',
      'system usage:',
      'assistant: STUB-OK msgs=2 prompts=1',
      'compaction: STUB-OK msgs=4 prompts=2',
      'user: post compact',
      'system system_prompt: [vendor text removed]...................',
      'system usage:',
      'assistant: STUB-OK msgs=3 prompts=2',
      'system info/fork:',
      'system resume:',
      'user: WARM PROMPT',
      'system usage:',
      'assistant: STUB-OK msgs=5 prompts=3',
    ])
    expect(events[6]).toEqual({
      type: 'compaction',
      seq: 6,
      id: 'c5b734d2-7745-44ed-af42-c1880b8239c0',
      parent_id: '4b33a8cc-b85c-48f1-9820-2a7bd2f23f3a',
      timestamp: '2026-11-15T19:08:52.906Z',
      summary: 'STUB-OK msgs=4 prompts=2',
      replaces: [],
      model: 'gpt-4.1',
      call: { id: 'a63b2a2c-7e58-4999-99d3-43997305921f' },
      token_usage: { input: 78, output: 7, cache_read: 22, cache_write: 0, reasoning: 0 },
    })
    // It was forked into another session, but is not a fork itself.
    expect(head.forked_from).toBeUndefined()
    expect(events.every((event, index) => index === 0 || event.parent_id === events[index - 1]!.id)).toBe(true)
  })

  test('tokens are counted once per model call, without the cached part', () => {
    const io = scratchIo(fixture('1.0.102'))
    const tokens = (native: string): unknown => summarise(agent.read(open(io, native).head, readContext(io))).tokens
    // Six calls of 100 with 22 from the cache, and one on the Anthropic wire: 133 with 22 read and 11 written.
    expect(tokens('aaaaaaaa-8888-4888-8888-888888888888')).toEqual({
      input: 78 * 6 + 100,
      output: 7 * 7,
      cache_read: 22 * 7,
      cache_write: 11,
      reasoning: 0,
    })
  })

  test('an API error, a kill during a tool and the warning of the next resume', () => {
    const io = scratchIo(fixture('1.0.102'))
    const failed = open(io, 'aaaaaaaa-4444-4444-8444-444444444444').events
    expect(failed.filter((event) => event.type === 'system' && event.subtype === 'api_error')).toEqual([
      {
        type: 'system',
        seq: 3,
        id: 'caf282ab-a129-440f-89db-c1cf2d2f6a77',
        parent_id: failed[2]!.id,
        timestamp: '2026-11-15T18:46:22.000Z',
        subtype: 'api_error',
        content: {
          errorType: 'query',
          message: '400 stub error 400',
          statusCode: 400,
          originatingMessageId: '7b8067ed-6403-4321-b96c-12fb287f6b6a',
        },
      },
    ])
    expect(outline(open(io, 'aaaaaaaa-8888-4888-8888-888888888880').events)).toEqual([
      'session_start: KILLED and never resumed',
      'user: KILLED and never resumed⏎#tool bash {"co',
      'system system_prompt: [vendor text removed]...................',
      'system usage:',
      'assistant: Calling tool.',
      'tool_use: bash sleep 20 sleep',
    ])
    expect(outline(open(io, 'aaaaaaaa-8888-4888-8888-888888888888').events).slice(4, 12)).toEqual([
      'assistant: Calling tool.',
      'tool_use: bash sleep 15; echo done sleep',
      'system resume:',
      'tool_result: Tool execution was interrupted before a',
      'system interrupted:',
      'user: AFTER KILL',
      'system usage:',
      'assistant: STUB-OK msgs=5 prompts=2',
    ])
  })

  test('attachments, images, repeated reasoning, a call by the user, text that nobody typed', () => {
    const native = '51000000-0000-4000-8000-000000000001'
    const { events, problems } = open(scratchIo(fixture('handmade-shapes')), native)
    const id = (n: number): string => `51000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
    const line = (n: number): { id: string; timestamp: string } => ({
      id: id(n),
      timestamp: `2026-11-15T10:00:${String(n).padStart(2, '0')}.000Z`,
    })
    const image = { type: 'image', media_type: 'image/png', data: 'aGk=' }
    const expected = [
      {
        ...line(2),
        type: 'user',
        content: [
          { type: 'text', text: 'look at these' },
          { type: 'file', path: `${shop}/a.ts`, media_type: 'text/plain' },
          { type: 'file', path: `${shop}/src`, media_type: null },
          { type: 'file', path: `${shop}/b.ts`, media_type: null },
          image,
        ],
      },
      {
        ...line(2),
        id: `${id(2)}.1`,
        type: 'native',
        record: { type: 'github_reference', number: 7, title: 'Bug', url: 'https://github.com/x/y/issues/7' },
      },
      { ...line(3), type: 'thinking', content: 'Think once.' },
      { ...line(4), id: 'call_1', type: 'tool_use', name: 'screenshot', input: {}, model: 'gpt-4.1' },
      { ...line(4), id: `${id(4)}.1`, type: 'native', record: { name: 'no id' } },
      {
        ...line(6),
        type: 'tool_result',
        tool_use_id: 'call_1',
        content: [{ type: 'text', text: 'taken' }, image],
        is_error: false,
      },
      { ...line(7), id: 'call_2', type: 'tool_use', name: 'bash', input: { command: 'ls' } },
      { ...line(9), type: 'tool_result', tool_use_id: 'call_2', content: 'no shell', is_error: true },
      { ...line(10), type: 'system', subtype: 'message/skill', content: '<skill-context>…</skill-context>' },
      { ...line(11), type: 'system', subtype: 'autopilot', content: 'Continue.' },
      { ...line(12), type: 'system', subtype: 'interrupted', content: { reason: 'user initiated' } },
      { ...line(14), type: 'system', subtype: 'compaction_failed', content: { success: false, error: 'too small' } },
      { ...line(15), type: 'system', subtype: 'error', content: { errorType: 'internal', message: 'lost' } },
    ]
    expect(problems).toEqual([])
    expect(events.slice(1)).toEqual(
      expected.map((event, index) => ({ ...event, seq: index + 1, parent_id: events[index]!.id })),
    )
  })

  test('two writers: a known parent is used; otherwise the previous event is the parent', () => {
    const { events } = open(scratchIo(fixture('handmade-shapes')), '54000000-0000-4000-8000-000000000004')
    const id = (n: number): string => `54000000-0000-4000-8000-00000000000${n}`
    expect(events.slice(1).map((event) => [event.id, event.parent_id])).toEqual([
      [id(2), '54000000-0000-4000-8000-000000000004:start'],
      [id(4), id(2)],
      [id(5), id(2)],
      [id(6), id(5)],
      [id(7), id(6)],
    ])
  })

  test('a session of an early version is a single file and not resumable', () => {
    const { head, events } = open(scratchIo(fixture('handmade-shapes')), '53000000-0000-4000-8000-000000000003')
    expect([head.format, head.resumable, agent.resumeCommand(head)]).toEqual(['events-jsonl-flat', false, undefined])
    expect(outline(events)).toEqual(['session_start: an early version', 'user: an early version', 'assistant: Answer.'])
  })
})

test('copilot: records of unknown shapes are reported and kept, and do not affect others', () => {
  const io = scratchIo(fixture('handmade-shapes'))
  const { head, events } = open(io, '53000000-0000-4000-8000-000000000003')
  const bad = [
    { type: 'user.message', data: null, id: 'a' },
    { type: 'user.message', data: { content: 7 }, id: 'b' },
    { type: 'tool.execution_complete', data: { success: true }, id: 'c' },
    { type: 'session.usage_record', data: { usage: [] }, id: 'd' },
    { type: 'constructor', data: {}, id: 'e' },
    { type: 7, data: {}, id: 'f', timestamp: {}, parentId: [], agentId: 3 },
  ]
  appendFileSync(head.path, bad.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const reading = readContext(io)
  const after = readAll(agent, head, io, reading)
  expect(after.events.slice(0, events.length)).toEqual(events)
  expect(after.events.slice(events.length).map((event) => event.type === 'native' && event.record)).toEqual(bad)
  expect(after.problems.map((problem) => problem.problem)).toEqual([
    'record a is not as expected: data is not an object',
    'record b is not as expected: content is not a string',
    'record c is not as expected: toolCallId is not a string',
    'record d is not as expected: usage is not an object',
  ])
  expect(reading.coverage).toEqual({ known: 2, skipped: 1, native: 6, bad: 0 })
})
