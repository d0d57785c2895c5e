import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'
import { brief, fixtureIo, open } from './test/open-session.ts'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '0.61.0': [
      '1e9acf00-0000-4000-8000-00000000000b',
      '23769744-ee59-4d37-b402-1dd607013075',
      '44026c87-f967-458a-8efd-2c850cd749f0',
      '4a616665-97c3-480a-8411-5cff81a28f3d',
      '51e7e71c-0000-4000-8000-00000000000a',
      '7c5b6bd0-3372-4a1b-b6cb-327f357c6e51',
      'aaaaaaaa-0000-4000-8000-000000000001',
      'bbbbbbbb-0000-4000-8000-000000000002',
      'cccccccc-0000-4000-8000-000000000003',
      'dddddddd-1111-4000-8000-000000000004',
      'df5df66b-e53f-4768-9efd-c1ed1893837d',
      'eeeeeeee-0000-4000-8000-000000000005',
      'f1f1f1f1-0000-4000-8000-000000000006',
      'f2f2f2f2-0000-4000-8000-000000000007',
      'not-a-uuid',
      'shop/checkpoint-tag-one',
    ],
    '0.33.0': ['163bc252-884f-4dc5-b088-fdbc9921e209'],
    '0.61.0-hash-folder': ['51e7e71c-0000-4000-8000-00000000000a'],
    'handmade-0.21': ['01d00000-0000-4000-8000-000000000001'],
    'handmade-branches': [
      'be000001-0000-4000-8000-000000000001',
      'be000001-0000-4000-8000-000000000001/sub-agent-1',
      'be000002-0000-4000-8000-000000000002',
      'be000003-0000-4000-8000-000000000003',
      'my-task-1',
      'my-task-2',
    ],
  },
  meaning: {
    'dddddddd-1111-4000-8000-000000000004': {
      typed: ['Write the note [[WRITE src/note.js]]', 'Write the note [[WRITE src/note2.js]]'],
      tokens: { input: 364, output: 76, cache_read: 44, reasoning: 28 },
      failed: ['write_file__write_file_1794768287443_0'],
    },
    'be000001-0000-4000-8000-000000000001': {
      branches: { u3: 'g1', u4: 'be000001-0000-4000-8000-000000000001:start' },
    },
  },
  overrides: [{ env: (_io, root) => ({ GEMINI_CLI_HOME: root }), move: ['.gemini', '.gemini'] }],
  lines: {
    session: 'aaaaaaaa-0000-4000-8000-000000000001',
    revises: 'a second file of the session says the same again, and says it alone when the first does not',
    unknown: '{"id":"future-1","type":"from-the-future","timestamp":"2026-11-15T19:00:00.000Z","payload":{"a":[1]}}',
  },
})

describe('gemini: other files', () => {
  test('inside sandbox-exec the folder is below .cache', () => {
    const io = fixtureIo('0.33.0')
    mkdirSync(join(io.home, '.cache'))
    renameSync(join(io.home, '.gemini'), join(io.home, '.cache/.gemini'))
    expect(listAll(agent, io).heads).toEqual([])
    const inside: Io = { ...io, env: { ...io.env, SANDBOX: 'sandbox-exec' } }
    expect(listAll(agent, inside).heads.map((head) => head.native_id)).toEqual(['163bc252-884f-4dc5-b088-fdbc9921e209'])
  })

  test('a saved tag is a separate session that cannot be resumed from outside', () => {
    const io = fixtureIo('0.61.0')
    const path = join(io.home, '.gemini/tmp/shop/checkpoint-tag-one.json')
    utimesSync(path, 1794768438, 1794768438)
    const { head, events } = open('0.61.0', 'shop/checkpoint-tag-one', io)
    const stamp = statSync(path)
    expect(head).toEqual({
      id: sessionId('gemini', 'shop/checkpoint-tag-one'),
      agent: 'gemini',
      native_id: 'shop/checkpoint-tag-one',
      path,
      title: 'tag-one',
      cwd: '/home/dev3/projects/shop',
      created_at: '2026-11-15T18:47:18.000Z',
      updated_at: '2026-11-15T18:47:18.000Z',
      model: null,
      bytes: stamp.size,
      revision: `${stamp.ino}:${stamp.size}:${stamp.mtimeMs}`,
      agent_version: null,
      format: 'checkpoint',
      resumable: false,
    })
    expect(brief(events).slice(1)).toEqual([
      'user #0.1: Hello from the TUI [[READ src/tax.js]]',
      'assistant #1: I will read the file. ',
      'tool_use read_file__read_file_1794768423306_0: read_file src/tax.js',
      'tool_result read_file__read_file_1794768423306_0/result: export const VAT = 0.25;\nexport function withTax(amount) {\n ',
      'assistant #3: DONE after read_file: the tool result was read.',
      'user #4: Now write [[WRITE src/note.js]]',
      'tool_use write_file__write_file_1794768429540_0: write_file src/note.js export const note = "héllo 世界 🚀";\n',
      'tool_result write_file__write_file_1794768429540_0/result: Successfully created and wrote to new file: /home/dev3/proje',
      'assistant #7: DONE after write_file: the tool result was read.',
    ])
  })

  test('a sub-agent belongs to its parent', () => {
    const { head } = open('handmade-branches', 'be000001-0000-4000-8000-000000000001/sub-agent-1')
    expect(head).toMatchObject({
      parent_session: 'be000001-0000-4000-8000-000000000001',
      resumable: false,
      cwd: '/home/dev/projects/shop',
      title: 'look for the bug',
    })
  })

  test('the sessions of a project in a folder called chats are not sub-agents', () => {
    const io = fixtureIo('0.61.0')
    renameSync(join(io.home, '.gemini/tmp/shop'), join(io.home, '.gemini/tmp/chats'))
    const head = listAll(agent, io).heads.find(({ native_id }) => native_id === 'aaaaaaaa-0000-4000-8000-000000000001')
    expect(head).toMatchObject({ cwd: '/home/dev3/projects/shop', resumable: true })
    expect(head).not.toHaveProperty('parent_session')
  })

  test('a folder named by a hash is found by known paths, and is one session with its copy', () => {
    expect(open('handmade-0.21', '01d00000-0000-4000-8000-000000000001').head.cwd).toBe('/home/dev/projects/old')
    const { head, io } = open('0.61.0-hash-folder', '51e7e71c-0000-4000-8000-00000000000a')
    expect(head).toMatchObject({ cwd: '/home/dev3/projects/hashed', resumable: true })
    expect(head.path).toContain('/tmp/hashed/')
    rmSync(join(io.home, '.gemini/projects.json'))
    rmSync(join(io.home, '.gemini/tmp/hashed'), { recursive: true })
    expect(listAll(agent, io).heads).toMatchObject([
      { cwd: null, resumable: false, created_at: '2026-11-15T10:00:00.000Z' },
    ])
    const there: Io = { ...io, cwd: '/home/dev3/projects/hashed/src' }
    expect(listAll(agent, there).heads).toMatchObject([{ cwd: '/home/dev3/projects/hashed', resumable: true }])
  })

  test('0.21: the content of a prompt is a string, a cancelled call has no result', () => {
    expect(brief(open('handmade-0.21', '01d00000-0000-4000-8000-000000000001').events)).toEqual([
      'user u1: Hello from an old version',
      'thinking g1/thought-0: **Look** first',
      'tool_use t1: run_shell_command ls',
      'tool_result t1/result: Cancelled by the user',
      'system/api_error e1: "[API Error: 500 try later]"',
    ])
  })

  test('a large .json is listed from its first and last kilobytes', () => {
    const { io, head } = open('0.33.0', '163bc252-884f-4dc5-b088-fdbc9921e209')
    const record = JSON.parse(readFileSync(head.path, 'utf8'))
    record.messages[2].content = 'long '.repeat(60_000)
    record.summary = 'The cart'
    writeFileSync(head.path, JSON.stringify(record, null, 2))
    const reading = readContext(io)
    const [large] = listAll(agent, io, reading).heads
    expect(large).toEqual({ ...head, title: 'The cart', bytes: large!.bytes, revision: large!.revision })
    expect(reading.bytes).toBeLessThan(110_000)
  })
})

describe('gemini: bad input', () => {
  test('fields of unexpected types do not fail', () => {
    const { io, head } = open('handmade-branches', 'my-task-2')
    const odd = [
      { id: 7, type: 'user', content: 5 },
      {
        id: 'a',
        type: 'gemini',
        content: { text: 'one part' },
        thoughts: [null, 'x'],
        tokens: [],
        toolCalls: [null, {}],
      },
      { id: 'b', type: 'user', content: [null, { functionResponse: null }, { executableCode: 'x' }] },
      { $set: { messages: [null, 'x', { id: 'c', type: 'odd' }], later: 1 } },
      { $set: null },
      { $rewindTo: 5 },
    ]
    writeFileSync(head.path, odd.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const reading = readContext(io)
    const { events, problems } = readAll(agent, head, io, reading)
    expect(problems).toEqual([])
    expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 5, bad: 0 })
    expect(brief(events)).toEqual([
      'native @0: ',
      'thinking a/thought-0: x',
      'assistant a: one part',
      'tool_use a/call-0:  ',
      'native b: ',
      'native b.1: ',
      'native @239: ',
      'native @239.1: ',
      'native c: ',
      'system/rollback @239.3: {"removed":["a","b"]}',
      'native @239.4: ',
      'native @306: ',
      'native @320: ',
    ])
  })

  test('a truncated .json is one problem', () => {
    const { io, head } = open('0.33.0', '163bc252-884f-4dc5-b088-fdbc9921e209')
    writeFileSync(head.path, readFileSync(head.path).subarray(0, 2000))
    const problem = { code: 'not_json', problem: expect.stringContaining('cannot read: '), path: head.path }
    expect(listAll(agent, io)).toEqual({ heads: [], problems: [problem] })
    const reading = readContext(io)
    expect(readAll(agent, head, io, reading).problems).toEqual([problem])
    expect(reading.coverage.bad).toBe(1)
  })
})

describe('gemini: retention', () => {
  const danger = expect.stringContaining('the resumed session too')

  test('is on by default, and reported with its danger', () => {
    const io = scratchIo()
    const setting = `general.sessionRetention in ${io.home}/.gemini/settings.json`
    expect(agent.retention!(io)).toEqual({ days: 30, setting, counts: 'last update', danger })
  })

  test('settings with comments are read, and system settings override them', () => {
    const io = fixtureIo('0.33.0')
    const file = join(io.home, '.gemini/settings.json')
    writeFileSync(file, '{ // mine\n "url": "https://x", "general": { "sessionRetention": { "maxAge": "2w" } } }')
    expect(agent.retention!(io)?.days).toBe(14)
    const system = join(io.home, 'system.json')
    writeFileSync(system, '{"general":{"sessionRetention":{"enabled":false}}}')
    expect(agent.retention!({ ...io, env: { ...io.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: system } })).toBeUndefined()
    expect(agent.retention!(fixtureIo('0.61.0'))).toBeUndefined()
  })
})
