import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { sessionId } from '../../events/id.ts'
import type { SessionHead } from '../../events/session.ts'
import agent from './index.ts'
import { conversation, fixtures, history, notes, open, openWorld, shop, task, world } from './test/open-session.ts'

testAgent(agent, fixtures, {
  sessions: {
    '0.86.3.dev': [
      ...['03:35', '03:39', '03:42', '03:45', '03:48', '03:50', '03:56'].map(
        (time) => `${history}#2026-11-15T19:${time}`,
      ),
      `${task('0001-plain')}#2026-11-15T19:04:07`,
      `${task('0002-resumed')}#2026-11-15T19:04:10`,
      `${task('0003-unicode')}#2026-11-15T19:04:17`,
      `${task('0004-edit')}#2026-11-15T19:04:20`,
      `${task('0005-killed')}#2026-11-15T19:04:26`,
      `${task('0006-markdown')}#2026-11-15T19:04:23`,
      `${task('0007-synthetic')}#0`,
    ],
    'handmade-edges': [`${notes}#2026-11-01T10:00:05`],
  },
  meaning: {
    [`${notes}#2026-11-01T10:00:05`]: {
      typed: [
        '/add notes.md',
        'Tidy the notes',
        'Write a heading, with an empty line before and two spaces after',
        'A heading that looks like a prompt',
      ],
      tokens: { input: 8000, output: 1204, cache_read: 2500, cache_write: 1500 },
    },
  },
  lacks: {
    failed: 'its tools leave no results in the history',
    branches: 'its history is a list',
  },
  world,
  // The only variable names a file, and ids contain the file's path: tested separately below.
  overrides: [],
})

const local = (...parts: [number, number, number, number, number, number]): string => new Date(...parts).toISOString()

describe('aider: runs', () => {
  test('a run is a session, with the local time of its heading', () => {
    const { head, events } = open('0.86.3.dev', `${history}#2026-11-15T19:03:39`)
    const started = local(2026, 10, 15, 19, 3, 39)
    const { revision, ...rest } = head
    expect(revision).toMatch(/^\d+:457:1139$/)
    expect(rest).toEqual({
      id: sessionId('aider', `${history}#2026-11-15T19:03:39`),
      agent: 'aider',
      native_id: `${history}#2026-11-15T19:03:39`,
      path: history,
      title: 'EDIT the total function',
      cwd: shop,
      created_at: started,
      updated_at: started,
      model: 'openai/gpt-4o',
      bytes: 682,
      agent_version: '0.86.3.dev+import',
      format: 'markdown',
      resumable: false,
    } satisfies Omit<SessionHead, 'revision'>)
    const guessed = { timestamp: started, timestamp_guessed: true }
    expect(events.slice(7)).toEqual([
      {
        type: 'system',
        seq: 7,
        id: '@764',
        parent_id: '@741',
        ...guessed,
        subtype: 'notice',
        content: 'Added src/cart.js to the chat.',
      },
      { type: 'user', seq: 8, id: '@800', parent_id: '@764', ...guessed, content: 'EDIT the total function' },
      {
        type: 'assistant',
        seq: 9,
        id: '@832',
        parent_id: '@800',
        ...guessed,
        model: 'openai/gpt-4o',
        content: [
          {
            type: 'text',
            text: 'I will change the file.\n\nsrc/cart.js\n```js\n<<<<<<< SEARCH\nexport function total(items) {\n=======\n// edited 2\nexport function total(items) {\n>>>>>>> REPLACE\n```',
          },
        ],
      },
      {
        type: 'system',
        seq: 10,
        id: '@993',
        parent_id: '@832',
        ...guessed,
        subtype: 'usage',
        content: { text: 'Tokens: 2.6k sent, 24 received. Cost: $0.0055 message, $0.0055 session.', estimated: true },
        token_usage: { input: 2600, output: 24, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { cost: 5500, is_sum: true },
      },
      {
        type: 'system',
        seq: 11,
        id: '@1069',
        parent_id: '@993',
        ...guessed,
        subtype: 'edit',
        content: { path: 'src/cart.js' },
      },
      {
        type: 'system',
        seq: 12,
        id: '@1101',
        parent_id: '@1069',
        ...guessed,
        subtype: 'commit',
        content: { commit: '3b83a57', message: 'feat: stub commit 3' },
      },
    ])
  })

  test('a run that restored continues the one above', () => {
    const { head, events } = open('0.86.3.dev', `${task('0002-resumed')}#2026-11-15T19:04:10`)
    expect(conversation(events)).toEqual([
      'user: Explain the cart in one line',
      'assistant: stub-answer #11: Explain the cart in one line',
      'usage: {"text":"Tokens: 2.6k sent, 8 received. Cost: $0.0052 message, $0.0052 session.","estimated":true}',
      'restored: "Restored previous conversation history."',
      'user: second prompt after resume',
      'assistant: stub-answer #12: second prompt after resume',
      'usage: {"text":"Tokens: 2.6k sent, 6 received. Cost: $0.0052 message, $0.0052 session.","estimated":true}',
    ])
    // Each run has recorded when and how it started.
    expect(events.flatMap((event) => (event.timestamp_guessed ? [] : [[event.type, event.timestamp]]))).toEqual([
      ['session_start', local(2026, 10, 15, 19, 4, 10)],
      ['system', local(2026, 10, 15, 19, 4, 10)],
      ['system', local(2026, 10, 15, 19, 4, 14)],
    ])
    expect(events.filter((event) => event.type === 'system' && event.subtype === 'command_line').length).toBe(2)
    expect(agent.resumeCommand(head)).toEqual([
      ...['aider', '--chat-history-file', task('0002-resumed')],
      ...['--input-history-file', task('0002-resumed').replace('chat.md', 'input')],
      ...['--llm-history-file', task('0002-resumed').replace('chat.md', 'llm.log')],
      '--restore-chat-history',
    ])
  })

  test('only the last run of a file can be continued', () => {
    const { heads } = listAll(agent, openWorld('0.86.3.dev'))
    const inHistory = heads.filter((head) => head.path === history)
    expect(inHistory.map((head) => agent.resumeCommand(head))).toEqual([
      ...Array(6).fill(undefined),
      ['aider', '--restore-chat-history'],
    ])
  })

  test('an interrupted answer is kept; after a kill the answer is missing', () => {
    expect(conversation(open('0.86.3.dev', `${history}#2026-11-15T19:03:56`).events).slice(0, 3)).toEqual([
      'user: SLOWCASE interrupted',
      'interrupted: "^C again to exit"',
      `assistant: SLOWSTREAM${' abcdefghij'.repeat(10)}`,
    ])
    expect(conversation(open('0.86.3.dev', `${history}#2026-11-15T19:03:50`).events)).toEqual(['user: SLOWCASE killed'])
  })

  test('a file without a heading is one run', () => {
    expect(conversation(open('0.86.3.dev', `${task('0007-synthetic')}#0`).events)).toEqual([
      'user: SYN-USER one',
      'assistant: SYN-ASSIST one',
      'user: SYN-USER two\nsecond line',
      'assistant: SYN-ASSIST two',
    ])
  })
})

describe('aider: separating an answer from the text around it', () => {
  test('lines of an answer that begin like headings, quotes and prompts stay in it', () => {
    expect(conversation(open('0.86.3.dev', `${history}#2026-11-15T19:03:45`).events).slice(0, 2)).toEqual([
      'user: MDCASE answer with headings',
      'assistant: # Heading one of the answer\nplain line\n> quoted line of the answer\n#### fourth level heading\nlast plain line',
    ])
  })

  test('lines of a prompt may begin with anything', () => {
    expect(conversation(open('0.86.3.dev', `${history}#2026-11-15T19:03:42`).events)[0]).toBe(
      'user: Ünïcode task: 日本語 🦆 — “quotes”\nsecond line\n\n> quoted by the user\n# hash line of the user',
    )
  })

  test('a command line of several lines is one notice, not an answer', () => {
    const { events } = open('0.86.3.dev', `${history}#2026-11-15T19:03:48`)
    expect(events[1]).toMatchObject({
      subtype: 'command_line',
      content:
        '/home/dev4/bin/aider --yes-always --message multi-line argv message\nsecond line leaks out of the block quote',
    })
    expect(conversation(events)).toEqual([
      'user: multi-line argv message\nsecond line leaks out of the block quote',
      'assistant: stub-answer #6: multi-line argv message',
      'usage: {"text":"Tokens: 2.6k sent, 5 received. Cost: $0.0052 message, $0.0052 session.","estimated":true}',
    ])
  })

  test('hard line breaks inside an answer, notices of several lines, rounded counts', () => {
    const { events, head } = open('handmade-edges', `${notes}#2026-11-01T10:00:05`)
    expect(head.title).toBe('Tidy the notes')
    expect(conversation(events).slice(0, 8)).toEqual([
      'user: /add notes.md',
      'notice: "Added notes.md to the chat"',
      'user: Tidy the notes',
      'assistant: > A quote in the first line of the answer\n> and its second, hard-broken  \n#### A heading in the answer  \nText.\n# aider chat started at 2026-11-01 11:11:11\n\n# aider chat started at noon\n\nLast line.',
      'usage: {"text":"Tokens: 12k sent, 1.5k cache write, 2.5k cache hit, 1,204 received. Cost: $0.10 message, $0.10 session.","estimated":true}',
      'notice: "Running the linter\\nnotes.md:1: trailing space\\n\\nnotes.md:7: no newline"',
      'api_error: "litellm.RateLimitError: slow down"',
      'edit: {"path":"my notes.md"}',
    ])
    expect(events.flatMap((event) => event.token_usage ?? [])).toEqual([
      { input: 8000, output: 1204, cache_read: 2500, cache_write: 1500, reasoning: 0 },
    ])
  })

  test('known limit: a line of an answer after an empty line that ends in two spaces', () => {
    const { events } = open('handmade-edges', `${notes}#2026-11-01T10:00:05`)
    expect(conversation(events).slice(8)).toEqual([
      'restored: "Restored previous conversation history."',
      'user: Write a heading, with an empty line before and two spaces after',
      'assistant: Here it is:',
      'user: A heading that looks like a prompt',
      'notice: "A quote that looks like a notice"',
      'assistant: Done.',
    ])
  })
})
