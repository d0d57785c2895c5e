import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAll } from '../../../test/support/read-all.ts'
import { readContext } from '../../native/read-context.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { brief, open } from './test/open-session.ts'

describe('gemini: a session as it was recorded', () => {
  test('a tool call is one call and one result, with usage counted once', () => {
    const { events } = open('0.61.0', 'cccccccc-0000-4000-8000-000000000003')
    const call = 'run_shell_command__run_shell_command_1794768283372_0'
    const answer = '524a4cf8-e7c8-47b9-bafe-bb3e09531163'
    expect(events.slice(2)).toEqual([
      {
        type: 'user',
        seq: 2,
        id: '873d80bd-d19b-4954-95a5-a6ebc9c253be',
        parent_id: 'd04923d38bb0f6017037e74183378ef4',
        timestamp: '2026-11-15T18:44:43.332Z',
        content: 'Run it [[SHELL echo out; echo err >&2; exit 3]]',
      },
      {
        type: 'system',
        seq: 3,
        id: '31c7ef82-3b0c-46eb-8e62-80933e5425c3/usage',
        parent_id: '873d80bd-d19b-4954-95a5-a6ebc9c253be',
        timestamp: '2026-11-15T18:44:43.504Z',
        subtype: 'usage',
        content: null,
        model: 'gemini-2.5-flash',
        token_usage: { input: 90, output: 19, cache_read: 11, cache_write: 0, reasoning: 7 },
        call: { id: '31c7ef82-3b0c-46eb-8e62-80933e5425c3' },
      },
      {
        type: 'tool_use',
        seq: 4,
        id: call,
        parent_id: '31c7ef82-3b0c-46eb-8e62-80933e5425c3/usage',
        timestamp: '2026-11-15T18:44:43.504Z',
        name: 'run_shell_command',
        input: { command: 'echo out; echo err >&2; exit 3', description: 'run it' },
      },
      {
        type: 'tool_result',
        seq: 5,
        id: `${call}/result`,
        parent_id: call,
        timestamp: '2026-11-15T18:44:43.597Z',
        tool_use_id: call,
        content: '<untrusted_context>\nOutput: out\nerr\nExit Code: 3\nProcess Group PGID: 19644\n</untrusted_context>',
        is_error: false,
      },
      {
        type: 'thinking',
        seq: 6,
        id: `${answer}/thought-0`,
        parent_id: `${call}/result`,
        timestamp: '2026-11-15T18:44:43.612Z',
        content: '**Reading the tool result** some reasoning text.',
        model: 'gemini-2.5-flash',
        token_usage: { input: 92, output: 19, cache_read: 11, cache_write: 0, reasoning: 7 },
        call: { id: '524a4cf8-e7c8-47b9-bafe-bb3e09531163' },
      },
      {
        type: 'assistant',
        seq: 7,
        id: answer,
        parent_id: `${answer}/thought-0`,
        timestamp: '2026-11-15T18:44:43.612Z',
        content: [{ type: 'text', text: 'DONE after run_shell_command: the tool result was read.' }],
      },
    ])
  })

  test('a failed tool call is an error', () => {
    const { events } = open('0.61.0', 'dddddddd-1111-4000-8000-000000000004')
    expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.is_error] : []))).toEqual([false, true])
  })

  test('a message repeated with another text is kept twice, a masked result is not repeated', () => {
    const { io, head } = open('handmade-branches', 'my-task-2')
    const call = (output: string) => ({ functionResponse: { id: 'c', response: { output } } })
    const lines = [
      {
        id: 'g',
        type: 'gemini',
        content: 'half',
        toolCalls: [{ id: 'c', name: 'ls', args: {}, result: [call('a b')] }],
      },
      { id: 'g', type: 'gemini', content: [{ text: ' half\n' }, { functionCall: { id: 'c', name: 'ls' } }] },
      { id: 'g', type: 'gemini', content: 'half and the rest' },
      { id: 'r', type: 'user', content: [call('<masked>')] },
    ]
    appendFileSync(head.path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(brief(readAll(agent, head, io).events)).toEqual([
      'user y1: the second task',
      'assistant g: half',
      'tool_use c: ls ',
      'tool_result c/result: a b',
      'assistant g~2: half and the rest',
    ])
  })

  test('a result that a rewrite filled with those of other calls has only its own', () => {
    const { io, head } = open('handmade-branches', 'my-task-2')
    const result = ['one', 'two'].map((id) => ({ functionResponse: { id, response: { output: `${id} said` } } }))
    const toolCalls = ['one', 'two'].map((id) => ({ id, name: 'ls', args: {}, result, status: 'success' }))
    appendFileSync(head.path, `${JSON.stringify({ id: 'g', type: 'gemini', content: '', toolCalls })}\n`)
    expect(brief(readAll(agent, head, io).events).slice(1)).toEqual([
      'tool_use one: ls ',
      'tool_result one/result: one said',
      'tool_use two: ls ',
      'tool_result two/result: two said',
    ])
  })

  test('the context of a session is not a prompt', () => {
    const { events, head } = open('0.61.0', '7c5b6bd0-3372-4a1b-b6cb-327f357c6e51')
    expect(head.title).toBe('Cold-with-dash-i')
    expect(events.map((event) => event.type)).toEqual(['session_start', 'system', 'user', 'thinking', 'assistant'])
    expect(events[1]).toMatchObject({ subtype: 'session_context' })
  })

  test('a prompt with files is shown as typed, a compressed history is a compaction', () => {
    expect(brief(open('handmade-branches', 'be000003-0000-4000-8000-000000000003').events)).toEqual([
      'system/session_context ctx: "<session_context>a Linux machine</session_context>"',
      'user u1: a long talk',
      'assistant g1: much',
      'compaction s1: <state_snapshot><overall_goal>talk</overall_goal></state_sna',
      'system/compaction_reply s2: "Got it. Thanks for the additional context!"',
      'user u2: look at @a.txt',
      'system/expanded_prompt u2.1: "look at @a.txt\\n--- Content from referenced files ---\\nAAA"',
      'system/directories @1162: ["/home/dev/projects/lib"]',
    ])
  })

  test('another session in the same file (same first eight letters, same minute) is reported', () => {
    const { events } = open('0.61.0', 'dddddddd-1111-4000-8000-000000000004')
    expect(events.filter((event) => event.type === 'system' && event.subtype === 'session_id')).toMatchObject([
      { content: 'dddddddd-1111-4000-8000-000000000004' },
    ])
    expect(events.flatMap((event) => (event.type === 'user' ? [event.content] : []))).toEqual([
      'Write the note [[WRITE src/note.js]]',
      'Write the note [[WRITE src/note2.js]]',
    ])
  })
})

describe('gemini: after a resume', () => {
  test('in a later minute: nothing is repeated, and the extra files belong to the session', () => {
    const { events, head, io } = open('0.61.0', 'f2f2f2f2-0000-4000-8000-000000000007')
    const call = 'read_file__read_file_1794768315233_0'
    expect(brief(events).filter((line) => !line.startsWith('system/session_context'))).toEqual([
      'user 7cedc649-da36-4c0b-8cbc-1e494af16498: Kill me after the tool [[READ src/tax.js]] [[THENSLOW]]',
      'thinking c6d5b17d-b510-4906-9e9b-c72a4cfce815/thought-0: **Plan: read a file** some reasoning text.',
      'assistant c6d5b17d-b510-4906-9e9b-c72a4cfce815: I will read the file.',
      `tool_use ${call}: read_file src/tax.js`,
      `tool_result ${call}/result: export const VAT = 0.25;\nexport function withTax(amount) {\n `,
      'user f4831765-a0f9-4ceb-992e-273a82ad42ab: Resumed turn for f2f2f2f2',
      'thinking d6f5bd04-1d79-442c-8ddd-2469b09244b5/thought-0: **Thinking about it** some reasoning text.',
      'assistant d6f5bd04-1d79-442c-8ddd-2469b09244b5: ECHO: Resumed turn for f2f2f2f2',
      'user 7b6337b1-89a6-43bc-ac76-3324f338c8f3: piped prompt\n',
      'thinking ddb97b1f-7d08-47bf-9b20-289655ceaa28/thought-0: **Thinking about it** some reasoning text.',
      'assistant ddb97b1f-7d08-47bf-9b20-289655ceaa28: ECHO: piped prompt',
      'user 363ecd70-8434-4be3-b79f-7e7458d2727d: positional prompt',
      'thinking 916451bf-042f-4e9b-9249-0345eb290b98/thought-0: **Thinking about it** some reasoning text.',
      'assistant 916451bf-042f-4e9b-9249-0345eb290b98: ECHO: positional prompt',
    ])
    const groups = [...agent.sources(readContext(io))].flatMap((source) => ('files' in source ? [source] : []))
    const names = groups.find((group) => group.path === head.path)!.files.map((file) => basename(file.path))
    expect(names).toEqual(['18-45', '18-46', '18-49'].map((minute) => `session-2026-11-15T${minute}-f2f2f2f2.jsonl`))
  })

  test('in the same minute: times, usage and thoughts of the first record are kept', () => {
    const { events } = open('0.61.0', '44026c87-f967-458a-8efd-2c850cd749f0')
    expect(events.slice(2, 6)).toMatchObject([
      { type: 'user', timestamp: '2026-11-15T18:47:03.250Z' },
      {
        type: 'thinking',
        timestamp: '2026-11-15T18:47:03.695Z',
        token_usage: { input: 90 },
        model: 'gemini-2.5-flash',
      },
      { type: 'assistant', timestamp: '2026-11-15T18:47:03.695Z' },
      { type: 'tool_use', timestamp: '2026-11-15T18:47:03.695Z', name: 'read_file' },
    ])
    expect(summarise(events.map((event) => ({ event })))).toMatchObject({
      messages: 9,
      tool_calls: 2,
      tokens: { input: 470, output: 95, cache_read: 55, cache_write: 0, reasoning: 35 },
    })
  })

  test('the events before a resume are the same after it', () => {
    const { io, head, events } = open('0.61.0', 'f2f2f2f2-0000-4000-8000-000000000007')
    const lines = readFileSync(head.path, 'utf8').split('\n')
    for (let count = 1; count < lines.length; count++) {
      writeFileSync(head.path, `${lines.slice(0, count).join('\n')}\n`)
      rmSync(head.path.replace('18-45', '18-46'), { force: true })
      rmSync(head.path.replace('18-45', '18-49'), { force: true })
      const early = readAll(agent, head, io).events
      expect(early).toEqual(events.slice(0, early.length))
    }
  })

  test('a .json and the .jsonl that a resume made of it are one session, read once, even without ids', () => {
    const { events, head } = open('0.61.0', '1e9acf00-0000-4000-8000-00000000000b')
    expect(basename(head.path)).toBe('session-legacy-min.jsonl')
    expect(brief(events).map((line) => line.replace(/^(\S+) ~\S+:/, '$1:'))).toEqual([
      'user: LEGACY user: what is VAT?',
      'assistant: LEGACY assistant',
      'tool_use call-1: read_file src/tax.js',
      'tool_result call-1/result: LEGACY tool output',
      expect.stringContaining('system/session_context d04923d38bb0f6017037e74183378ef4: '),
      'user 050fe27e-a270-4aa6-b14d-e3b733de592a: Next after 1e9acf00-0000-4000-8000-00000000000b',
      'thinking 6202bba8-2521-4dbb-ac0d-bd235d60a9b3/thought-0: **Thinking about it** some reasoning text.',
      'assistant 6202bba8-2521-4dbb-ac0d-bd235d60a9b3: ECHO: Next after 1e9acf00-0000-4000-8000-00000000000b',
    ])
  })

  test('sessions that share eight letters are kept apart', () => {
    expect(brief(open('handmade-branches', 'my-task-1').events)).toEqual([
      'user x1: the first task',
      'system/session_context ctx: "<session_context>a Linux machine</session_context>"',
    ])
    expect(brief(open('handmade-branches', 'my-task-2').events)).toEqual(['user y1: the second task'])
  })
})

describe('gemini: what was rolled back is kept', () => {
  test('a rewind is an event, and what follows has the right parent', () => {
    const start = 'be000001-0000-4000-8000-000000000001:start'
    expect(brief(open('handmade-branches', 'be000001-0000-4000-8000-000000000001').events)).toEqual([
      'system/session_context ctx: "<session_context>a Linux machine</session_context>"',
      'user u1: first',
      'assistant g1: one',
      'user u2: second',
      'assistant g2: two',
      'system/rewind @1028: {"to":"u2","removed":["u2","g2"]}',
      'user u3 <- g1: second, said better',
      'assistant g3: three',
      'system/rewind @1360: {"to":"nobody-knows","removed":["ctx","u1","g1","u3","g3"]}',
      `user u4 <- ${start}: from the start`,
    ])
  })

  test('a failed turn is kept, and the next one continues before it', () => {
    expect(brief(open('handmade-branches', 'be000002-0000-4000-8000-000000000002').events)).toEqual([
      'system/session_context ctx: "<session_context>a Linux machine</session_context>"',
      'user u1: works',
      'assistant g1: yes',
      'user u2: fails',
      'system/rollback @704: {"removed":["u2"]}',
      'user u3 <- g1: works again',
      'assistant g3: again',
    ])
  })

  test('a session whose only turn failed is listed, but Gemini would not resume it', () => {
    const { head, events } = open('0.61.0', 'eeeeeeee-0000-4000-8000-000000000005')
    expect(agent.resumeCommand(head)).toBeUndefined()
    expect(events.at(-1)).toEqual({
      type: 'system',
      seq: 3,
      id: '@1357',
      parent_id: '2b8b67ee-c288-4a22-894d-668a2f3f0216',
      timestamp: '2026-11-15T18:44:49.879Z',
      subtype: 'rollback',
      content: { removed: ['2b8b67ee-c288-4a22-894d-668a2f3f0216'] },
    })
  })
})
