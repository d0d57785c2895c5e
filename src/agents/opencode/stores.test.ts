import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import { readContext } from '../../native/read-context.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import agent from './index.ts'
import { activeDatabase, dataFolder } from './paths.ts'
import { at, body, fixtures, headOf, inRow, said, usage, world } from './test/expected-events.ts'

test('the JSON tree: messages and parts in files, and the call that started a sub-agent', () => {
  const io = world('handmade-json-tree')
  const native = 'ses_0f0f0f0f0ffeTreeSessionAAAA'
  const child = 'ses_0f0f0f0f0ffdTreeChildBBBBBB'
  const t = 1760000000000
  const head = headOf(io, child)
  expect(head).toEqual({
    id: sessionId('opencode', child),
    agent: 'opencode',
    native_id: child,
    path: join(dataFolder(io), 'storage/session/3c2e14bf891acdd9c85f633ef3f93558ec31026a', `${child}.json`),
    title: 'Count files (@general subagent)',
    cwd: '/home/dev/shop',
    created_at: at(t + 2000),
    updated_at: at(t + 3000),
    model: 'stub-1',
    bytes: 0,
    revision: head.revision,
    agent_version: '0.15.31',
    format: 'json-tree',
    resumable: false,
    parent_session: sessionId('opencode', native),
    spawned_by: 'call_task',
  })
  expect(body(io, native)).toEqual(
    inRow(native, [
      { type: 'user', id: 'msg_9c82cc000001aaaaaaaaaaaaaa', timestamp: at(t), content: 'Count the files, please' },
      {
        type: 'tool_use',
        id: 'call_task',
        timestamp: at(t + 1900),
        name: 'task',
        input: { description: 'Count files', prompt: 'Count the files in src', subagent_type: 'general' },
        model: 'stub-1',
        ...usage(500, 40, 10, 20),
      },
      {
        type: 'tool_result',
        id: 'prt_9c82cc4b0001aaaaaaaaaaaaaa',
        timestamp: at(t + 3100),
        tool_use_id: 'call_task',
        content: '3',
        is_error: false,
      },
      {
        type: 'assistant',
        id: 'prt_9c82cd3ec001aaaaaaaaaaaaaa',
        timestamp: at(t + 5100),
        content: said('There are three.'),
        model: 'stub-1',
        ...usage(600, 9),
      },
    ]),
  )
})

test('the oldest tree, with the parts inside the messages', () => {
  const io = world('handmade-json-tree-oldest')
  const native = 'ses_8a8a8a8a8ffeOldestFirstForm'
  const t = 1750000000000
  const answer = 'msg_757575757002aaaaaaaaaaaaaa'
  expect(headOf(io, native)).toMatchObject({
    title: 'Fix the cart',
    cwd: '/home/dev/shop',
    model: 'stub-0',
    format: 'json-tree-oldest',
    resumable: false,
  })
  expect(body(io, native)).toEqual(
    inRow(native, [
      {
        type: 'user',
        id: 'msg_757575757001aaaaaaaaaaaaaa',
        timestamp: at(t),
        content: [
          { type: 'text', text: 'Fix the cart' },
          { type: 'image', media_type: 'image/png', url: 'https://example.test/a.png' },
        ],
      },
      {
        type: 'assistant',
        id: `${answer}.1`,
        timestamp: at(t + 1000),
        content: said('I will look.'),
        model: 'stub-0',
        ...usage(100, 20, 5),
      },
      { type: 'tool_use', id: 'call_1', timestamp: at(t + 1500), name: 'read', input: { filePath: 'cart.ts' } },
      {
        type: 'tool_result',
        id: `${answer}.2`,
        timestamp: at(t + 1600),
        tool_use_id: 'call_1',
        content: 'export const cart = []',
        is_error: false,
      },
      { type: 'tool_use', id: 'call_2', timestamp: at(t + 1700), name: 'bash', input: { command: 'false' } },
      {
        type: 'tool_result',
        id: `${answer}.3`,
        timestamp: at(t + 1800),
        tool_use_id: 'call_2',
        content: 'exit 1',
        is_error: true,
      },
      { type: 'tool_use', id: 'call_3', timestamp: at(t + 1000), name: 'bash', input: { command: 'sleep 60' } },
      {
        type: 'native',
        id: `${answer}.5`,
        timestamp: at(t + 1000),
        record: { type: 'source-url', sourceId: 's1', url: 'https://example.test/', id: `${answer}.5` },
      },
      {
        type: 'system',
        id: 'msg_757575757003aaaaaaaaaaaaaa',
        timestamp: at(t + 4500),
        subtype: 'api_error',
        content: { name: 'ProviderAuthError', providerID: 'stub', message: 'no key' },
        model: 'stub-0',
      },
    ]),
  )
  expect(body(io, 'ses_8989898989feOldestWithParts').map((event) => 'content' in event && event.content)).toEqual([
    'Tidy up the cart',
    said('Tidied.'),
  ])
})

test('a session that is in the database too is listed once, from the database', () => {
  const io = world('handmade-json-tree')
  const tree = 'ses_0f0f0f0f0ffeTreeSessionAAAA'
  cpSync(join(fixtures, '1.18.33'), io.home, { recursive: true })
  const database = openDatabase(activeDatabase(io))
  database.exec(`PRAGMA foreign_keys = OFF; UPDATE session SET id = '${tree}' WHERE id = 'ses_ion_direct1'`)
  database.close()
  const found = listAll(agent, io).heads.filter((head) => head.path.endsWith('.json') || head.native_id === tree)
  expect(found.map((head) => [head.native_id, head.format, head.title])).toEqual([
    ['ses_0f0f0f0f0ffdTreeChildBBBBBB', 'json-tree', 'Count files (@general subagent)'],
    [tree, 'sqlite', 'Direct insert'],
  ])
})

test('a session that is in an older tree too is listed from the newer one', () => {
  const io = world('handmade-json-tree-oldest')
  const data = dataFolder(io)
  const native = 'ses_8989898989feOldestWithParts'
  const project = join(data, 'storage/session/global')
  mkdirSync(project, { recursive: true })
  copyFileSync(join(data, `project/home-dev-shop/storage/session/info/${native}.json`), join(project, `${native}.json`))
  expect(listAll(agent, io).heads.map((head) => [head.native_id, head.format])).toEqual([
    [native, 'json-tree'],
    ['ses_8a8a8a8a8ffeOldestFirstForm', 'json-tree-oldest'],
  ])
})

test('OPENCODE_DB is relative to the data folder; sessions of other databases are listed as not resumable', () => {
  const io = world('handmade-wal')
  const data = dataFolder(io)
  for (const ending of ['', '-wal']) renameSync(join(data, `opencode.db${ending}`), join(data, `work.db${ending}`))
  copyFileSync(join(fixtures, '1.18.33/.local/share/opencode/opencode.db'), join(data, 'opencode-dev.db'))
  expect(
    listAll(agent, io)
      .heads.map((head) => head.path)
      .filter((path) => path.endsWith('work.db')),
  ).toEqual([])
  const { heads } = listAll(agent, { ...io, env: { ...io.env, OPENCODE_DB: 'work.db' } })
  const resumable = heads.filter((head) => head.resumable).map((head) => [head.native_id, head.path])
  expect(resumable).toEqual([
    ['ses_wal_archived', join(data, 'work.db')],
    ['ses_wal_parts', join(data, 'work.db')],
  ])
  expect(heads.filter((head) => head.path === join(data, 'opencode-dev.db')).length).toBe(23)
})

test('nothing from the tables that hold secrets is shown', () => {
  const io = world('1.18.33')
  const database = openDatabase(activeDatabase(io))
  database.exec(`
    CREATE TABLE account (id text, access_token text); INSERT INTO account VALUES ('a', 'SECRET-1');
    CREATE TABLE credential (id text, value text); INSERT INTO credential VALUES ('c', 'SECRET-2');
    CREATE TABLE control_account (email text, access_token text); INSERT INTO control_account VALUES ('e', 'SECRET-3')`)
  database.close()
  const { heads, problems } = listAll(agent, io)
  const all = JSON.stringify([heads, problems, heads.map((head) => readAll(agent, head, io).items)])
  expect(all).toContain('I will list the files.')
  expect(all).not.toContain('SECRET')
})

test('invalid rows lose only their own content', () => {
  const io = world('handmade-wal')
  const database = openDatabase(activeDatabase(io))
  database.exec(`
    UPDATE message SET data = '{"role":' WHERE id = 'msg_a3';
    UPDATE part SET data = 'nonsense' WHERE id = 'prt_a2_01';
    UPDATE part SET data = '{"type":"tool","state":7}' WHERE id = 'prt_a2_02';
    UPDATE part SET data = '{"type":"text","text":{"a":1}}' WHERE id = 'prt_a2_03';
    UPDATE session SET title = 'New session - 2026-11-16T03:33:20.000Z', model = '[]'`)
  database.close()
  const head = headOf(io, 'ses_wal_parts')
  expect(head).toMatchObject({ title: 'Look at this picture', model: 'stub-1' })
  const reading = readContext(io)
  const { events, problems } = readAll(agent, head, io, reading)
  expect(problems).toEqual([
    { code: 'not_json', problem: 'part prt_a2_01 of session ses_wal_parts is not JSON', path: head.path },
    { code: 'not_json', problem: 'message msg_a3 of session ses_wal_parts is not JSON', path: head.path },
  ])
  expect(reading.coverage).toEqual({ known: 1, skipped: 0, native: 2, bad: 2 })
  expect(events.find((event) => event.id === 'prt_a2_02')).toMatchObject({
    type: 'native',
    record: { type: 'tool', state: 7 },
  })
  expect(events.at(-1)).toMatchObject({ id: 'msg_a3', type: 'native' })
  expect(events.filter((event) => event.type === 'tool_result').map((event) => event.id)).toEqual(['prt_a2_04'])
})

test('a part that is too large is reported without being read, and so is a session', () => {
  const io = world('handmade-wal')
  const database = openDatabase(activeDatabase(io))
  const large = `replace(hex(zeroblob(17000000)), '00', 'ab')`
  database.exec(`UPDATE part SET data = '{"type":"text","text":"' || ${large} || '"}' WHERE id = 'prt_a2_01'`)
  const head = headOf(io, 'ses_wal_parts')
  const { events, problems } = readAll(agent, head, io)
  expect(problems).toEqual([
    {
      code: 'too_large',
      problem: 'part prt_a2_01 of session ses_wal_parts cannot be read: 34 MB is too much to read at once',
      path: head.path,
    },
  ])
  expect(events.some(({ id }) => id === 'prt_a2_02')).toBe(true)
  database.exec(`UPDATE session SET title = ${large} WHERE id = 'ses_wal_parts'`)
  database.close()
  expect(listAll(agent, io).problems).toEqual([
    { code: 'too_large', problem: 'a session of 34 MB in one row is too large', path: head.path },
  ])
})

test('invalid files are reported', () => {
  const io = world('handmade-json-tree')
  const data = dataFolder(io)
  const native = 'ses_0f0f0f0f0ffeTreeSessionAAAA'
  const child = join(
    data,
    'storage/session/3c2e14bf891acdd9c85f633ef3f93558ec31026a/ses_0f0f0f0f0ffdTreeChildBBBBBB.json',
  )
  const message = join(data, `storage/message/${native}/msg_9c82cd388001aaaaaaaaaaaaaa.json`)
  writeFileSync(child, readFileSync(child).subarray(0, 40))
  writeFileSync(message, '[1]')
  writeFileSync(join(data, 'opencode.db'), 'this is no database, and it is long enough to be looked at'.repeat(20))
  const { heads, problems } = listAll(agent, io)
  expect(heads.map((head) => head.native_id)).toEqual([native])
  expect(problems).toEqual([
    {
      code: 'damaged',
      problem: 'cannot open the database: file is not a database (the file is damaged)',
      path: join(data, 'opencode.db'),
    },
    { code: 'not_json', problem: 'not the description of a session: no JSON object', path: child },
  ])
  const read = readAll(agent, heads[0]!, io)
  expect(read.problems).toEqual([{ code: 'not_json', problem: 'not a JSON object', path: message }])
  // Its part exists and is kept.
  expect(read.events.at(-1)).toMatchObject({ type: 'native', id: 'msg_9c82cd388001aaaaaaaaaaaaaa' })
})

test("another program's database is reported, a newly created one is empty", () => {
  const root = scratchFolder()
  const io = { ...scratchIo(), env: { OPENCODE_DB: join(root, 'other.db') } }
  const database = openDatabase(join(root, 'other.db'))
  expect(listAll(agent, io)).toEqual({ heads: [], problems: [] })
  database.exec('CREATE TABLE notes (id)')
  database.close()
  expect(listAll(agent, io)).toEqual({
    heads: [],
    problems: [
      {
        code: 'unknown_format',
        problem: 'not an OpenCode database: no tables "session", "message" and "part"',
        path: join(root, 'other.db'),
      },
    ],
  })
  rmSync(join(root, 'other.db'))
  expect(listAll(agent, io)).toEqual({ heads: [], problems: [] })
})

test("messages in a future version's table are reported, not skipped", () => {
  const io = world('1.18.33')
  const native = 'ses_ion_direct1'
  const database = openDatabase(activeDatabase(io))
  database.exec(`
    DELETE FROM message WHERE session_id = '${native}';
    DROP TABLE session_message; CREATE TABLE session_message (session_id text);
    INSERT INTO session_message VALUES ('${native}')`)
  database.close()
  const head = headOf(io, native)
  expect(readAll(agent, head, io).problems).toEqual([
    {
      code: 'unknown_format',
      problem: 'its messages are in the table "session_message", which Ion cannot read',
      path: head.path,
    },
  ])
})
