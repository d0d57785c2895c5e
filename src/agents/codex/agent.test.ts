import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { readAll } from '../../../test/support/read-all.ts'
import { readContext } from '../../native/read-context.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { made, openSession, readSession } from './test/fixture-session.ts'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '0.166.0': [
      '01a1e085-aeae-7b20-bd68-1895ac30e981',
      '01a1e086-39e7-7601-bae1-7a18802c8b21',
      '01a1e086-6f6d-7500-b0ac-c87c2660f1f4',
      '01a1e086-7199-7df2-aede-e1251fa10777',
      '01a1e086-7338-77d0-871a-281f1e88dd4f',
      '01a1e086-7459-7d31-887c-83b06958e6b0',
      '01a1e086-8053-75f2-bf11-8279c181b9e2',
      '01a1e086-c8b5-7032-8a7e-4996ac01a43b',
      '01a1e087-0adc-7013-af90-ad789a950822',
      '01a1e087-4e16-77e1-82c7-1065bde2074d',
      '01a1e088-e27c-7880-a212-3503aab31b55',
      '01a1e089-531a-7ab3-8c56-395a86d07c49',
      '01a1e089-fc8f-7773-bb74-39d041783e17',
      '01a1e08a-5d11-7060-8985-3c96af8e4f59',
      '01a1e08a-f9d8-77e2-a31f-10d18f4908d0',
      '01a1e08b-08ef-7a23-bfc3-0ef0b3dd66b4',
      '01a1e08b-0b18-70c1-86df-bde236aa9926',
      '01a1e08d-a941-7703-bece-b8f1df2ff73b',
      '01a1e08d-aa00-7a31-b379-e02666a545a7',
      '01a1e08d-b39f-7bf1-96b0-9967e81e7a58',
      '01a1e09d-f633-7663-8022-24953ba3be17',
      '01a1e09e-e149-7ea2-b43f-8e587319cbb1',
      '01a1e09f-a730-7980-8a1a-a22701e2123d',
      '01a1e0a0-cd1c-76e3-a01d-866936e1609a',
      '01a1e0a0-d45c-7270-aa40-1d0adf866a0d',
      '01a1e0a0-dbf5-7a63-b96a-fbc18a963601',
      '01a1e0a0-e7dc-7da1-a044-f4c52fd2d927',
    ],
    'handmade-bare': made(31),
    'handmade-compressed': made(11, 12, 13),
    'handmade-fork': made(21, 22, 23, 24, 25, 26),
    'handmade-legacy': made(1, 2, 3, 4),
  },
  meaning: {
    '01a1e085-aeae-7b20-bd68-1895ac30e981': {
      typed: [
        '[[ls]] List the source files of the shop, please',
        'Second turn: what did you just do?',
        'Third turn by --last [[think]]',
        'in other cwd, by id [[ls]]',
      ],
      tokens: { input: 38257, output: 252, cache_read: 600, reasoning: 16 },
      failed: ['call_1a1e08710d7000018'],
    },
  },
  lacks: { branches: 'a rollout is a list' },
  staysPut: {
    'handmade-compressed': 'a compressed rollout is restored as it is, with the old folder in it',
    'handmade-fork': 'the first of its sessions is compressed',
  },
  overrides: [{ env: (_io, root) => ({ CODEX_HOME: root }), move: ['.codex', '.'] }],
  lines: {
    session: '01a1e085-aeae-7b20-bd68-1895ac30e981',
    revises: 'a message event waits for its response item, and without one becomes an event',
    unknown: '{"timestamp":"2026-11-15T20:00:00.000Z","ordinal":900,"type":"from_the_future","payload":{"a":[1]}}',
  },
})

describe('0.166.0', () => {
  test('a sub-agent belongs to its parent and is interrupted once', () => {
    const { io, head } = openSession('0.166.0', '01a1e08d-aa00')
    expect(head).toMatchObject({
      parent_session: '01a1e08d-a941-7703-bece-b8f1df2ff73b',
      resumable: false,
      title: 'Count the files in src [[ls]]',
    })
    expect(head.forked_from).toBeUndefined()
    const { events } = readAll(agent, head, io)
    expect(events.map((event) => (event.type === 'system' ? event.subtype : event.type))).toEqual([
      'session_start',
      'developer',
      'environment',
      'turn_context',
      'user',
      'assistant',
      'tool_use',
      'usage',
      'tool_result',
      'turn_aborted',
      'interrupted',
    ])
  })

  test('a compaction keeps the earlier events and lists those that the model still sees', () => {
    const { events } = readSession('0.166.0', '01a1e08d-b39f')
    const { summary, ...compaction } = events.find((event) => event.type === 'compaction')!
    expect(summary).toMatch(/^\[vendor text removed\]/)
    expect(compaction).toEqual({
      type: 'compaction',
      seq: 13,
      id: '#26',
      parent_id: '#24',
      timestamp: '2026-11-15T18:52:29.014Z',
      replaces: [],
      preserved: ['msg_01a1e08d-b4f1-7cd0-bd62-9c935489e65b'],
    })
    expect(events.flatMap((event) => (event.type === 'user' ? [event.content] : []))).toEqual([
      '[[ls]] A session to be compacted',
      'After compaction',
    ])
  })

  test('failed turns become api_error events', () => {
    const errors = ['01a1e086-7199', '01a1e086-7338'].map((id) =>
      readSession('0.166.0', id).events.flatMap((event) =>
        event.type === 'system' && event.subtype === 'api_error' ? [event.content] : [],
      ),
    )
    expect(errors).toEqual([
      ['{"error":{"message":"stub says no (400)","type":"invalid_request_error","code":"stub_error"}}'],
      ['stream disconnected before completion: stub failure inside the stream'],
    ])
  })

  test('the token sums of a session equal those that Codex stores', () => {
    const { io, head } = openSession('0.166.0', '01a1e085-aeae')
    expect(summarise(agent.read(head, readContext(io))).tokens).toEqual({
      input: 38857 - 600,
      output: 252,
      cache_read: 600,
      cache_write: 0,
      reasoning: 16,
    })
  })

  test('the folder is the one it was last used in, and the resume command fits', () => {
    const { head } = openSession('0.166.0', '01a1e085-aeae')
    expect([head.cwd, agent.resumeCommand(head)]).toEqual([
      '/home/dev2/projects/other',
      ['codex', 'resume', '--no-daemon', '01a1e085-aeae-7b20-bd68-1895ac30e981'],
    ])
  })

  test('an archived session is hidden and has no resume command', () => {
    const { head } = openSession('0.166.0', '01a1e08a-f9d8')
    expect([head.hidden, head.resumable, agent.resumeCommand(head)]).toEqual([true, false, undefined])
  })
})
