import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'

const OLD = '5e551094-0197-4197-8197-000000000001'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '2.1.197': [OLD],
    '2.1.325': [
      '0fe6896a-e4fd-46d8-a264-80066bf59f1c',
      '11111111-1111-4111-8111-111111111111',
      '22222222-2222-4222-8222-222222222222',
      '33333333-3333-4333-8333-333333333333',
      '44444444-4444-4444-8444-444444444444',
      '66666666-6666-4666-8666-666666666666',
      '77777777-0000-4777-8777-777777777770',
      '77777777-7777-4777-8777-777777777777',
      '77777777-7777-4777-8777-777777777778',
      '77777777-7777-4777-8777-777777777779',
      '88888888-8888-4888-8888-888888888888',
      '88888888-8888-4888-8888-888888888888/agent-a9a571e6b3e54badd',
      '99999999-1111-4111-8111-111111111111',
      'bf14fd73-e8ed-4280-a591-14fef34d81ed',
      'cccccccc-0001-4000-8000-000000000001',
      'e761985d-dc4b-45f0-93e2-253590a3874f',
    ],
  },
  meaning: {
    // Each block of an answer is a record, and each repeats the usage.
    '0fe6896a-e4fd-46d8-a264-80066bf59f1c': { tokens: { input: 300, output: 21, cache_read: 66, cache_write: 33 } },
    '66666666-6666-4666-8666-666666666666': { failed: ['toolu_stubahh00000z'] },
    '77777777-7777-4777-8777-777777777779': {
      branches: {
        '987ba06c-aeeb-4460-9c57-3c72f6fbf1a4': null,
        'e1647e91-4e3c-4ae4-aee7-8c1e5bfe387d': '91ac53a9-b195-454c-ac5d-033cf4afd991',
      },
    },
    // With /compact in between, which nobody typed as a prompt.
    '99999999-1111-4111-8111-111111111111': {
      typed: ['TUI first', 'second typed prompt', 'third after resume', 'after compact prompt', 'WARM PROMPT ARG'],
    },
  },
  overrides: [{ env: (_io, root) => ({ CLAUDE_CONFIG_DIR: root }), move: ['.claude', '.'] }],
  lines: {
    session: '11111111-1111-4111-8111-111111111111',
    unknown: '{"type":"from-the-future","uuid":"f0f0f0f0-0000-4000-8000-000000000000","payload":{"a":[1]}}',
  },
})

function open(version: string, nativeId: string): { io: Io; head: SessionHead; events: IonEvent[] } {
  const io = scratchIo(fileURLToPath(new URL(`./fixtures/${version}`, import.meta.url)))
  const head = listAll(agent, io).heads.find((one) => one.native_id === nativeId)!
  return { io, head, events: readAll(agent, head, io).events }
}

/** From the last event to the root, by parent_id; fails on a parent that is not in the session. */
function chain(events: readonly IonEvent[], from: string): string[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  const types: string[] = []
  for (let id: string | null = from; id !== null; ) {
    const event = byId.get(id)
    if (!event) throw new Error(`no event ${id}`)
    types.push(event.type === 'system' ? event.subtype : event.type)
    id = event.parent_id
  }
  return types
}

describe('2.1.197', () => {
  test('a session, complete', () => {
    const { io, head, events } = open('2.1.197', OLD)
    const uuid = (n: number): string => `01970000-0000-4000-8000-00000000000${n}`
    const time = (n: number): string => `2026-11-15T18:00:0${n}.000Z`
    const token_usage = { input: 100, output: 7, cache_read: 22, cache_write: 11, reasoning: 0 }
    const model = 'claude-opus-4-8'
    expect(head).toEqual({
      id: OLD,
      agent: 'claude',
      native_id: OLD,
      path: `${io.home}/.claude/projects/-home-dev1-projects-shop/${OLD}.jsonl`,
      title: 'List the files of the shop.',
      cwd: '/home/dev1/projects/shop',
      created_at: time(0),
      updated_at: time(7),
      model,
      bytes: readFileSync(head.path).length,
      revision: expect.stringMatching(/^\d+:\d+:[\d.]+$/),
      agent_version: '2.1.197',
      format: 'jsonl',
      resumable: true,
      git: { branch: 'main' },
    })
    expect(events).toEqual([
      {
        type: 'session_start',
        v: 1,
        seq: 0,
        id: `${OLD}:start`,
        parent_id: null,
        timestamp: time(0),
        session_id: OLD,
        agent: 'claude',
        native_id: OLD,
        cwd: '/home/dev1/projects/shop',
        project: '/home/dev1/projects/shop',
        title: 'List the files of the shop.',
        model,
        git: { branch: 'main' },
        source: { agent_version: '2.1.197', format: 'jsonl' },
      },
      {
        type: 'user',
        seq: 1,
        id: uuid(1),
        parent_id: null,
        timestamp: time(1),
        content: 'List the files of the shop.',
      },
      {
        type: 'system',
        seq: 2,
        id: uuid(2),
        parent_id: uuid(1),
        timestamp: time(1),
        subtype: 'attachment/agent_listing_delta',
        content: {
          type: 'agent_listing_delta',
          addedTypes: ['general-purpose'],
          addedLines: ['- general-purpose'],
          removedTypes: [],
          isInitial: true,
        },
      },
      {
        type: 'system',
        seq: 3,
        id: uuid(3),
        parent_id: uuid(2),
        timestamp: time(1),
        subtype: 'attachment/skill_listing',
        content: { type: 'skill_listing', content: '- review', skillCount: 1, isInitial: true, names: ['review'] },
      },
      {
        type: 'assistant',
        seq: 4,
        id: uuid(4),
        parent_id: uuid(3),
        timestamp: time(4),
        content: [{ type: 'text', text: 'I will look.' }],
        model,
        token_usage,
        call: { id: 'msg_0197a/req_0197a' },
      },
      {
        // The same message again: the record repeats its usage, which was already counted.
        type: 'tool_use',
        seq: 5,
        id: 'toolu_0197',
        parent_id: uuid(4),
        timestamp: time(5),
        name: 'Bash',
        input: { command: 'ls', description: 'List files' },
        model,
      },
      {
        type: 'tool_result',
        seq: 6,
        id: uuid(6),
        parent_id: 'toolu_0197',
        timestamp: time(6),
        tool_use_id: 'toolu_0197',
        content: 'cart.ts\npackage.json',
        is_error: false,
      },
      {
        type: 'assistant',
        seq: 7,
        id: uuid(7),
        parent_id: uuid(6),
        timestamp: time(7),
        content: [{ type: 'text', text: 'Two files: cart.ts and package.json.' }],
        model,
        token_usage,
        call: { id: 'msg_0197b/req_0197b' },
      },
    ])
    expect(summarise(readAll(agent, head, io).items)).toEqual({
      messages: 3,
      tool_calls: 1,
      tokens: { input: 200, output: 14, cache_read: 44, cache_write: 22, reasoning: 0 },
      model,
      first_prompt: 'List the files of the shop.',
      created_at: time(1),
      updated_at: time(7),
      problems: 0,
    })
  })
})

describe('2.1.325', () => {
  test('every record of the fixture is known or skipped', () => {
    const io = scratchIo(fileURLToPath(new URL('./fixtures/2.1.325', import.meta.url)))
    const reading = readContext(io)
    for (const head of listAll(agent, io).heads) readAll(agent, head, io, reading)
    expect(reading.coverage).toEqual({ known: 291, skipped: 331, native: 0, bad: 0 })
  })

  test('parents lead from the last answer through attachments and a compaction to the first prompt', () => {
    const { events } = open('2.1.325', '99999999-1111-4111-8111-111111111111')
    const types = chain(events, events.findLast((event) => event.type === 'assistant')!.id)
    expect(types.filter((type) => !type.startsWith('attachment/'))).toEqual([
      'assistant',
      'user',
      'turn_duration',
      'assistant',
      'user',
      'local_command',
      'local_command',
      'local_command',
      'compaction',
      'compact_boundary',
      'reminder',
      'local_command',
      'local_command',
      'turn_duration',
      'assistant',
      'user',
      'turn_duration',
      'assistant',
      'user',
      'turn_duration',
      'assistant',
      'user',
    ])
    expect(types.filter((type) => type.startsWith('attachment/'))).toHaveLength(22)
  })

  test('two processes on one session leave branches with one parent', () => {
    const { events } = open('2.1.325', '77777777-7777-4777-8777-777777777779')
    const fork = '91ac53a9-b195-454c-ac5d-033cf4afd991'
    expect(events.flatMap((event) => (event.parent_id === fork ? [event.id] : []))).toEqual([
      '5c509792-ba21-419e-9a4a-8c026b09645b',
      'e1647e91-4e3c-4ae4-aee7-8c1e5bfe387d',
    ])
    for (const event of events.slice(1)) expect(chain(events, event.id).at(-1)).toBe('user')
  })

  test('a fork has the uuids of its origin, and both are read completely', () => {
    const origin = open('2.1.325', '11111111-1111-4111-8111-111111111111')
    const fork = open('2.1.325', '22222222-2222-4222-8222-222222222222')
    const ids = (events: readonly IonEvent[]): string[] => events.slice(1).map((event) => event.id)
    const shared = ids(fork.events).filter((id) => ids(origin.events).includes(id))
    expect([shared.length, ids(fork.events).length, ids(origin.events).length]).toEqual([19, 21, 27])
  })

  test('a sub-agent is a separate session, linked to the call that started it', () => {
    const { head, events } = open('2.1.325', '88888888-8888-4888-8888-888888888888/agent-a9a571e6b3e54badd')
    const { parent_session, spawned_by, resumable, title } = head
    expect({ parent_session, spawned_by, resumable, title }).toEqual({
      parent_session: '88888888-8888-4888-8888-888888888888',
      spawned_by: 'toolu_stubahh00003l',
      resumable: false,
      title: 'sub',
    })
    expect(events[0]).toMatchObject({ parent_session, spawned_by })
    expect(agent.resumeCommand(head)).toBeUndefined()
    const parent = open('2.1.325', parent_session!)
    expect(parent.events.find((event) => event.id === spawned_by)).toMatchObject({ type: 'tool_use', name: 'Agent' })
    expect(agent.resumeCommand(parent.head)).toEqual(['claude', '--resume', parent_session])
  })

  test('a compaction lists what the model still sees verbatim', () => {
    const { events } = open('2.1.325', '99999999-1111-4111-8111-111111111111')
    const at = events.findIndex((event) => event.type === 'compaction')
    expect(events[at - 1]).toMatchObject({
      type: 'system',
      subtype: 'compact_boundary',
      content: { trigger: 'manual' },
    })
    expect(events[at]).toEqual({
      type: 'compaction',
      seq: at,
      id: 'ffff9316-de2f-4bbd-8f20-b63dcdcaae54',
      parent_id: events[at - 1]!.id,
      timestamp: events[at]!.timestamp,
      summary: expect.stringMatching(/^\[vendor text removed\]/),
      replaces: [],
      preserved: [
        'aa92af16-228f-4fda-b500-23d43270506b',
        '577cc355-e99e-49f8-bc36-09627159052a',
        '7353a386-19b2-4deb-9ea7-5eabac47f770',
        '4849b9fb-5b24-4e2f-a4fe-e62a1ab023cf',
        'aa8c9fc2-5395-4e09-818e-524d966f0440',
      ],
    })
  })

  test('only text that the user typed is a user event', () => {
    const typed = (id: string): unknown[] =>
      open('2.1.325', id).events.flatMap((event) => (event.type === 'user' ? [event.content] : []))
    expect(typed('99999999-1111-4111-8111-111111111111')).toEqual([
      'TUI first',
      'second typed prompt',
      'third after resume',
      'after compact prompt',
      'WARM PROMPT ARG',
    ])
    expect(typed('88888888-8888-4888-8888-888888888888')).toEqual([expect.stringMatching(/^SUB\n#tool Agent/)])
    const notes = open('2.1.325', '88888888-8888-4888-8888-888888888888').events.flatMap((event) =>
      event.type === 'system' && !event.subtype.startsWith('attachment/') ? [event.subtype] : [],
    )
    expect(notes).toEqual(['reminder', 'task_notification'])
  })

  test('an API error is not an answer', () => {
    const { events } = open('2.1.325', '44444444-4444-4444-8444-444444444444')
    const shown = events.filter((event) => event.type !== 'system' || event.subtype === 'api_error')
    expect(shown.map((event) => [event.type, 'content' in event ? event.content : ''])).toEqual([
      ['session_start', ''],
      ['user', 'FAIL #err 400'],
      ['system', 'API Error: 400 stub error 400'],
      ['user', 'AFTER ERROR'],
      ['system', 'API Error: 400 stub error 400'],
    ])
  })

  test('a session without a message, of a full disk or a kill at once, cannot be resumed', () => {
    const { io, head } = open('2.1.325', '99999999-1111-4111-8111-111111111111')
    const resumable = (text: string): boolean => {
      writeFileSync(head.path, text)
      return listAll(agent, io).heads.find((one) => one.id === head.id)!.resumable
    }
    const queue =
      '{"type":"queue-operation","operation":"enqueue","sessionId":"99999999-1111-4111-8111-111111111111"}\n'
    const user = '{"type":"user","message":{"role":"user","content":"hi"},"uuid":"1"}\n'
    expect(['', queue, queue + user].map(resumable)).toEqual([false, false, true])
  })

  test('the name is in the file, else beside it', () => {
    const { io, head } = open('2.1.325', '99999999-1111-4111-8111-111111111111')
    expect(head.title).toBe('shiny name')
    const text = readFileSync(head.path, 'utf8')
    writeFileSync(head.path, text.replace(/^.*"custom-title".*\n/gm, ''))
    const title = (): string | null => listAll(agent, io).heads.find((one) => one.id === head.id)!.title
    expect(title()).toBe('shiny name')
    writeFileSync(head.path.replace('.jsonl', '/custom-title.json'), '{"customTitle":"beside\\nit"}')
    expect(title()).toBe('beside')
    writeFileSync(head.path.replace('.jsonl', '/custom-title.json'), '{"customTitle":7}')
    expect(title()).toBe('TUI first')
  })

  test('retention comes from the settings of the moved folder', () => {
    const io = scratchIo()
    expect(agent.retention!(io)).toEqual({
      days: 30,
      setting: `cleanupPeriodDays in ${io.home}/.claude/settings.json`,
      counts: 'file time',
    })
    writeFileSync(`${io.home}/settings.json`, '{"cleanupPeriodDays":99}')
    expect(agent.retention!({ ...io, env: { CLAUDE_CONFIG_DIR: io.home } })).toEqual({
      days: 99,
      setting: `cleanupPeriodDays in ${io.home}/settings.json`,
      counts: 'file time',
    })
  })
})
