import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { appendEntry } from '../../src/run/ledger.ts'
import { taskOf } from '../../src/run/task.ts'
import { Transcript } from '../../src/server/transcript.ts'
import { listAll } from '../support/read-all.ts'
import { until } from '../support/wait-until.ts'
import { claudeFile } from './claude-session.ts'
import { ioOf } from './fake-agent.ts'
import { type Machine, machine } from './run-ion.ts'

const ID = '0a0b0c0d-0000-4000-8000-000000000001'

/** Lines of a session, one prompt and one answer for each word, from the `from`th record on. */
function lines(words: readonly string[], from = 0): string {
  return words
    .flatMap((word, at) => [
      line(from + 2 * at, 'user', { role: 'user', content: word }),
      line(from + 2 * at + 1, 'assistant', {
        id: `m${from + at}`,
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: `re ${word}` }],
      }),
    ])
    .join('')
}

function line(n: number, type: string, message: object): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  const common = { sessionId: ID, cwd: '/made', version: '2.1.325', timestamp }
  return `${JSON.stringify({ ...common, type, uuid: `u${n}`, parentUuid: n ? `u${n - 1}` : null, message })}\n`
}

interface Followed {
  readonly where: Machine
  readonly file: string
  readonly transcript: Transcript
  readonly changes: () => number
  contents(): string[]
}

async function followed(words: readonly string[]): Promise<Followed> {
  const where = machine()
  const io = ioOf(where)
  const file = claudeFile(where, ID)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, lines(words))
  const task = taskOf('claude', where.home, 'main', io)
  appendEntry(
    task.folder,
    { type: 'session', run: 'r', native_id: ID, files: [file], cwd: where.home, how: 'adopted' },
    io,
  )
  let changes = 0
  const transcript = new Transcript(findAgent('claude'), task, io, () => changes++)
  onTestFinished(() => transcript.close())
  await transcript.begin()
  const contents = (): string[] => transcript.conversation.drafts().map(({ content }) => content)
  return { where, file, transcript, changes: () => changes, contents }
}

test('appended lines are noticed, and read from where the last read ended', async () => {
  const { file, contents, transcript } = await followed(['one'])
  expect(contents()).toEqual(['one', 're one'])
  const before = transcript.conversation
  appendFileSync(file, lines(['two'], 2))
  await until(() => expect(contents()).toEqual(['one', 're one', 'two', 're two']))
  expect(transcript.conversation).toBe(before)
  const [torn, rest] = [lines(['three'], 4).slice(0, 30), lines(['three'], 4).slice(30)]
  appendFileSync(file, torn)
  await transcript.look()
  expect(contents()).toHaveLength(4)
  appendFileSync(file, rest)
  await until(() => expect(contents().slice(-2)).toEqual(['three', 're three']))
  expect(transcript.conversation).toBe(before)
})

test('a check that finds nothing new notifies nobody', async () => {
  const { transcript, changes } = await followed(['one'])
  const before = changes()
  await transcript.look()
  await transcript.look()
  expect(changes()).toBe(before)
})

test('a rewritten file is read from the start: renamed over, in place, shorter or longer', async () => {
  const { file, contents } = await followed(['one', 'two'])
  writeFileSync(`${file}.tmp`, lines(['other']))
  renameSync(`${file}.tmp`, file)
  await until(() => expect(contents()).toEqual(['other', 're other']))
  writeFileSync(file, lines(['x']))
  await until(() => expect(contents()).toEqual(['x', 're x']))
  writeFileSync(file, lines(['a rather long prompt', 'and another one']))
  await until(() => expect(contents()[0]).toBe('a rather long prompt'))
  expect(contents()).toHaveLength(4)
})

test('a session that disappears is empty, and comes back with its file', async () => {
  const { file, contents, transcript } = await followed(['one'])
  rmSync(file)
  await until(() => expect(transcript.head).toBeUndefined())
  writeFileSync(file, lines(['one', 'two']))
  await until(() => expect(contents()).toHaveLength(4))
})

test('a large session: additions are read without reading it again, and the event loop is not blocked', async () => {
  const words = Array.from({ length: 2000 }, (_, n) => `${n} ${'lorem ipsum '.repeat(400)}`)
  const { file, transcript } = await followed(['small'])
  let turns = 0
  const beat = setInterval(() => turns++, 1)
  onTestFinished(() => clearInterval(beat))
  writeFileSync(`${file}.tmp`, lines(words))
  renameSync(`${file}.tmp`, file)
  turns = 0
  await until(() => expect(transcript.conversation.prompts).toBe(2000))
  expect(turns).toBeGreaterThan(5)
  const before = transcript.conversation
  appendFileSync(file, lines(['at the end'], 4000))
  await until(() => expect(transcript.conversation.prompts).toBe(2001))
  expect(transcript.conversation).toBe(before)
})

/** Goose with a session of its fixture, its database open as the agent has it. */
async function followedGoose() {
  const [fixture] = readdirSync(new URL('../../src/agents/goose/fixtures/', import.meta.url)).filter((name) =>
    /^\d/.test(name),
  )
  const where = machine(`goose/fixtures/${fixture}`)
  const io = ioOf(where)
  const goose = findAgent('goose')
  const [head] = listAll(goose, io).heads
  if (!head) throw new Error('the fixture has no session')
  const calls = { heads: 0, read: 0 }
  const counting: Agent = {
    ...goose,
    heads(...given) {
      calls.heads++
      return goose.heads(...given)
    },
    read(...given) {
      calls.read++
      return goose.read(...given)
    },
  }
  const task = taskOf('goose', where.home, 'main', io)
  const pin = { native_id: head.native_id, files: [head.path], cwd: where.home }
  appendEntry(task.folder, { type: 'session', run: 'r', ...pin, how: 'adopted' }, io)
  const transcript = new Transcript(counting, task, io, () => {})
  onTestFinished(() => transcript.close())
  await transcript.begin()
  return { head, transcript, calls }
}

test('a database that nobody writes to is not read repeatedly', async () => {
  const { head, transcript, calls } = await followedGoose()
  for (let n = 0; n < 3; n++) await transcript.look()
  const before = calls.heads
  for (let n = 0; n < 5; n++) await transcript.look()
  expect([transcript.head?.native_id, calls.heads]).toEqual([head.native_id, before])
})

test('a session in a database: added, changed and deleted rows are seen without reading it whole', async () => {
  const { head, transcript, calls } = await followedGoose()
  const database = openDatabase(head.path)
  onTestFinished(() => database.close())
  const contents = (): string[] => transcript.conversation.drafts().map(({ content }) => content)
  const before = contents()
  const insert = database.prepare(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp)
    VALUES (?, ?, ?, ?, 1999999999)`)
  const text = (words: string): string => JSON.stringify([{ type: 'text', text: words }])
  insert.run('new-1', head.native_id, 'user', text('one more'))
  insert.run('new-2', head.native_id, 'assistant', text('an ans'))
  await until(() => expect(contents()).toEqual([...before, 'one more', 'an ans']))
  database.prepare(`UPDATE messages SET content_json = ? WHERE message_id = 'new-2'`).run(text('an answer'))
  await until(() => expect(contents()).toEqual([...before, 'one more', 'an answer']))
  database.exec(`DELETE FROM messages WHERE message_id = 'new-1'`)
  await until(() => expect(contents()).not.toContain('one more'))
  expect(contents().at(-1)).toContain('an answer')
  expect(calls.read).toBe(0)
  database.exec(`DELETE FROM messages WHERE session_id = '${head.native_id}'`)
  database.exec(`DELETE FROM sessions WHERE id = '${head.native_id}'`)
  await until(() => expect(transcript.head).toBeUndefined())
})
