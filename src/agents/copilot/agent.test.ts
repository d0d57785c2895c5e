import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { copyTree, scratchIo } from '../../../test/support/scratch.ts'
import type { SessionHead } from '../../events/session.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '1.0.102': [
      '612ded6b-8391-4cff-bc93-940133c079d8',
      '77aa53e1-0228-4018-b78c-18739b2da414',
      'aaaaaaaa-1010-4010-8010-101010101010',
      'aaaaaaaa-1111-4111-8111-111111111111',
      'aaaaaaaa-3333-4333-8333-333333333333',
      'aaaaaaaa-4444-4444-8444-444444444444',
      'aaaaaaaa-4444-4444-8444-444444444445',
      'aaaaaaaa-7777-4777-8777-777777777777',
      'aaaaaaaa-8888-4888-8888-888888888880',
      'aaaaaaaa-8888-4888-8888-888888888888',
      'aaaaaaaa-8888-4888-8888-888888888889',
      'aaaaaaaa-9999-4999-8999-999999999999',
      'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
      'bbbbbbbb-2222-4222-8222-222222222222',
      'cccccccc-0002-4000-8000-000000000002',
      'd0210ac5-c6dd-401e-a356-9f934c3611da',
    ],
    'handmade-shapes': [
      '51000000-0000-4000-8000-000000000001',
      '52000000-0000-4000-8000-000000000002',
      '53000000-0000-4000-8000-000000000003',
      '54000000-0000-4000-8000-000000000004',
    ],
  },
  meaning: {
    'aaaaaaaa-8888-4888-8888-888888888888': {
      typed: [
        'KILLTOOL\n#tool bash {"command":"sleep 15; echo done","description":"sleep"}',
        'AFTER KILL',
        'CFLAG\n#tool bash {"command":"pwd","description":"p"}',
        'ANTHROPIC WIRE #think',
        'STDIN PROMPT\n',
        'share',
      ],
      tokens: { input: 568, output: 49, cache_read: 154, cache_write: 11 },
      failed: ['call_stubahj00001h'],
    },
    // Its parent is a record without events.
    '54000000-0000-4000-8000-000000000004': {
      branches: { '54000000-0000-4000-8000-000000000005': '54000000-0000-4000-8000-000000000002' },
    },
  },
  overrides: [
    { env: (_io, root) => ({ COPILOT_HOME: root }), move: ['.copilot', '.'] },
    { env: (_io, root) => ({ XDG_STATE_HOME: root }), move: ['.copilot', '.copilot'] },
    { env: (_io, root) => ({ XDG_CONFIG_HOME: root }), move: ['.copilot', '.copilot'] },
  ],
  lines: {
    session: 'aaaaaaaa-1111-4111-8111-111111111111',
    unknown:
      '{"type":"from.the.future","data":{"a":[1]},"id":"f0f0f0f0-0000-4000-8000-000000000000","timestamp":"2026-11-15T20:00:00.000Z","parentId":null}',
  },
})

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((head) => head.native_id === native)!
}

describe('copilot: the list', () => {
  test('a head, complete: name, folder and branch from workspace.yaml, the last time from the events', () => {
    const io = scratchIo(fixture('1.0.102'))
    const head = headOf(io, 'aaaaaaaa-1111-4111-8111-111111111111')
    const { revision, ...rest } = head
    expect(rest).toEqual({
      id: 'aaaaaaaa-1111-4111-8111-111111111111',
      agent: 'copilot',
      native_id: 'aaaaaaaa-1111-4111-8111-111111111111',
      path: join(io.home, '.copilot/session-state/aaaaaaaa-1111-4111-8111-111111111111/events.jsonl'),
      title: 'FIRST alpha',
      cwd: '/home/dev1/projects/shop',
      created_at: '2026-11-15T18:45:55.923Z',
      // workspace.yaml says 18:45:56.128.
      updated_at: '2026-11-15T18:46:20.932Z',
      model: 'gpt-4.1',
      bytes: 119889 + 344,
      agent_version: '1.0.102',
      format: 'events-jsonl',
      resumable: true,
      git: { branch: 'main', commit: '95bb84069c1c49c21a3bfe5afc01cf508d62a5f2' },
    })
    appendFileSync(head.path, '{}\n')
    expect(headOf(io, head.native_id).revision).not.toBe(revision)
    expect(agent.resumeCommand(head)).toEqual(['copilot', '--resume=aaaaaaaa-1111-4111-8111-111111111111'])
  })

  test('titles: a name, a prompt of several lines, quotes, other scripts', () => {
    const titles = listAll(agent, scratchIo(fixture('1.0.102'))).heads.map((head) => head.title)
    expect(titles).toEqual([
      'Imported one',
      'List the files then read cart.',
      'PLAIN hello',
      'FIRST alpha',
      'my feature',
      'FAIL #err 400',
      'FAIL #err 401',
      'YOLO',
      'KILLED and never resumed',
      'KILLTOOL',
      'KILLTEXT #slow 20',
      'SUB',
      'ünïcode 日本 😀 prompt: "quotes"',
      'tui-name',
      'syn named',
      'Imported one',
    ])
  })

  test('a fork knows its parent by the records that it copied, or by the notice', () => {
    const heads = listAll(agent, scratchIo(fixture('handmade-shapes'))).heads
    expect(heads.map((head) => [head.title, head.forked_from])).toEqual([
      ['quoted: "ü" 日', undefined],
      ['in fork', '51000000-0000-4000-8000-000000000001'],
      ['an early version', undefined],
      ['first writer', '51000000-0000-4000-8000-000000000001'],
    ])
  })

  test('a session that was moved to ~/.copilot is not listed from its old folder as well', () => {
    const plain = scratchIo(fixture('1.0.102'))
    const state = join(plain.home, 'state')
    copyTree(join(plain.home, '.copilot'), join(state, '.copilot'))
    const io: Io = { ...plain, env: { ...plain.env, XDG_STATE_HOME: state, XDG_CONFIG_HOME: state } }
    rmSync(join(io.home, '.copilot/session-state/aaaaaaaa-1111-4111-8111-111111111111'), { recursive: true })
    const { heads, problems } = listAll(agent, io)
    expect(problems).toEqual([])
    expect(heads.filter((head) => head.path.startsWith(state)).map((head) => head.native_id)).toEqual([
      'aaaaaaaa-1111-4111-8111-111111111111',
    ])
    expect(heads.length).toBe(16)
    // COPILOT_HOME is the only place where it is set.
    expect(listAll(agent, { ...io, env: { ...io.env, COPILOT_HOME: '/nowhere' } }).heads).toEqual([])
  })
})
