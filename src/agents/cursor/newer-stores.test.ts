import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import { backup } from './backup.ts'
import agent from './index.ts'
import { start } from './start.ts'
import { ChatBlobs, writeChat } from './test/make-chat.ts'
import { type Field, message } from './write-message.ts'

/** What stores may contain by the schema of @cursor/sdk 1.1.0 and what earlier tests do not have. */

const ID = 'e0000002-0000-4000-8000-000000000002'
const CWD = '/home/dev/shop'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function chatOf(
  fill: (blobs: ChatBlobs) => readonly Field[],
  folder: string = createHash('md5').update(CWD).digest('hex'),
): Io {
  const io = scratchIo()
  const blobs = new ChatBlobs()
  const root = blobs.add(message(...fill(blobs))).toString('hex')
  writeChat(join(io.home, '.cursor/chats', folder, ID), { blobs, root, description: { cwd: CWD } })
  return io
}

function readChat(io: Io): { events: Record<string, unknown>[]; problems: string[] } {
  const [head] = listAll(agent, io).heads
  const { events, problems } = readAll(agent, head!, io)
  return {
    events: events.slice(1).map((event) => ({ ...event })),
    problems: problems.map(({ problem }) => problem),
  }
}

const prompt = message([1, 'Go on'], [2, 'user-1'])
const step = (kind: number, body: Buffer, ...more: Field[]): Buffer => message([2, message([kind, body], ...more)])

test('a tool call has its id, its times and the text of hooks beside the tool, also before it', () => {
  const args = message([1, 'src/cart.ts'], [2, 10])
  const hook = message([1, 'postToolUse'], [2, 'Run the linter.'])
  const io = chatOf((blobs) => [
    [
      8,
      blobs.turn(
        prompt,
        step(8, message([1, args]), [54, hook], [57, 'call_read'], [59, 1794800001000], [60, 1794800002000]),
        message([2, message([54, hook], [57, 'call_say'], [58, message([1, message([1, 'Done.'])])])]),
      ),
    ],
  ])
  const { events, problems } = readChat(io)
  expect(problems).toEqual([])
  expect(events.slice(1)).toMatchObject([
    {
      type: 'tool_use',
      id: 'call_read',
      name: 'read',
      input: { path: 'src/cart.ts', offset: 10 },
      timestamp: new Date(1794800001000).toISOString(),
    },
    { type: 'system', subtype: 'hook_context', content: { hook: 'postToolUse', text: 'Run the linter.' } },
    { type: 'tool_use', id: 'call_say', name: 'send_to_user', input: { 1: 'Done.' } },
    { type: 'system', subtype: 'hook_context' },
  ])
})

test('a truncated call is read from the blob of the complete step; without it the short one is kept', () => {
  const whole = step(12, message([1, message([1, 'src/cart.ts'], [6, 'x'.repeat(50)])]), [57, 'call_edit'])
  const missing = Buffer.alloc(32, 7)
  const io = chatOf((blobs) => [
    [
      8,
      blobs.turn(
        prompt,
        step(34, message([1, blobs.add(whole)], [4, 4000]), [57, 'call_edit']),
        step(34, message([1, missing], [4, 4000]), [57, 'call_lost']),
      ),
    ],
  ])
  const { events, problems } = readChat(io)
  expect(events.slice(1)).toMatchObject([
    { type: 'tool_use', id: 'call_edit', name: 'edit', input: { path: 'src/cart.ts', stream_content: 'x'.repeat(50) } },
    { type: 'native', record: { step: { 2: { 57: 'call_lost' } } } },
  ])
  expect(problems).toEqual([expect.stringMatching(/^step 2 of turn-1 before it was truncated .* is missing$/)])
})

test('results of calls before a summary are found in the archived messages', () => {
  const io = chatOf((blobs) => {
    const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'Read', result: 'const total = 3' }
    const archived = blobs.add({ role: 'tool', content: [result] })
    const turn = blobs.turn(
      prompt,
      step(8, message([1, message([1, 'a.ts'])], [2, message([1, message([4, 1])])]), [57, 'call_1']),
    )
    return [
      [8, turn],
      [13, blobs.add(message([1, archived], [2, 'They looked at a.ts.']))],
    ]
  })
  expect(readChat(io).events).toMatchObject([
    { type: 'compaction' },
    { type: 'user' },
    { type: 'tool_use', id: 'call_1' },
    { type: 'tool_result', tool_use_id: 'call_1', content: 'const total = 3', is_error: false },
  ])
})

test('output of a shell that is stored interleaved, or only by its beginning and end, and why it was rejected', () => {
  const shell = (id: string, result: Buffer): Buffer =>
    step(1, message([1, message([1, 'npm test'], [4, id])], [2, result]))
  const io = chatOf((blobs) => [
    [
      8,
      blobs.turn(
        prompt,
        shell('call_1', message([1, message([10, 'out\nerr\n'])])),
        shell('call_2', message([1, message([15, 'first'], [16, 'last'], [17, 90_000])], [102, 1])),
        shell('call_3', message([2, message([3, 1], [13, 'first'], [14, 'failed'])])),
        shell('call_4', message([4, message([1, 'npm test'], [2, CWD], [3, 'Not now.'])])),
      ),
    ],
  ])
  const results = readChat(io).events.filter((event) => event.type === 'tool_result')
  expect(results).toMatchObject([
    { content: 'out\nerr\n', is_error: false },
    { content: 'first\n…\nlast', is_error: false },
    { content: 'first\n…\nfailed', is_error: true },
    { content: 'Not now.', is_error: true },
  ])
})

test('what another agent or a bot sent is not a prompt of the user; what a user said in a call is', () => {
  const sent = (text: string, ...fields: Field[]): Buffer => message([1, text], [2, `id-${text}`], ...fields)
  const hook = message([1, 'beforeSubmitPrompt'], [2, 'It is Monday.'])
  const io = chatOf((blobs) => [
    [8, blobs.turn(sent('typed', [21, hook]))],
    [8, blobs.turn(sent('by an agent', [27, 'agent-7']))],
    [8, blobs.turn(sent('by a bot', [29, message([1, 3], [3, 'Bot'])]))],
    [8, blobs.turn(sent('spoken', [29, message([1, 2])]))],
  ])
  expect(readChat(io).events).toMatchObject([
    { type: 'user', content: 'typed' },
    { type: 'system', subtype: 'hook_context', content: { hook: 'beforeSubmitPrompt', text: 'It is Monday.' } },
    { type: 'system', subtype: 'agent_message', content: 'by an agent' },
    { type: 'system', subtype: 'agent_message', content: 'by a bot' },
    { type: 'user', content: 'spoken' },
  ])
})

test('thoughts have times', () => {
  const io = chatOf((blobs) => [
    [8, blobs.turn(prompt, message([3, message([1, 'Hm.'], [2, 900], [3, 1794800003000])]))],
  ])
  expect(readChat(io).events.at(-1)).toMatchObject({
    type: 'thinking',
    content: 'Hm.',
    timestamp: new Date(1794800003000).toISOString(),
  })
})

test('states of sub-agents in blobs of their own: kept, preferred to those in the root, reported when missing', () => {
  const state = (model: string): Buffer => message([2, 5], [5, model])
  const io = chatOf((blobs) => [
    [8, blobs.turn(prompt)],
    [16, message([1, 'sub-a'], [2, state('old')])],
    [16, message([1, 'sub-b'], [2, state('only in the root')])],
    [31, message([1, 'sub-a'], [2, blobs.add(state('new'))])],
    [31, message([1, 'sub-b'], [2, Buffer.alloc(32, 1)])],
    [31, message([1, 'sub-c'], [2, Buffer.alloc(32, 2)])],
  ])
  const { events, problems } = readChat(io)
  expect(events.slice(1)).toMatchObject([
    { type: 'native', record: { 'sub-agent': { 1: 'sub-a', 2: { 5: 'new' } } } },
    { type: 'native', record: { 'sub-agent': { 1: 'sub-b', 2: { 5: 'only in the root' } } } },
  ])
  expect(problems).toEqual(['the state of sub-agent sub-c is missing'])
})

test('a chat in a folder named by SHA-256 has its project, is resumed there and moves with it', () => {
  const io = scratchIo()
  const blobs = new ChatBlobs()
  const root = blobs.add(message([8, blobs.turn(prompt)], [9, `file://${CWD}`])).toString('hex')
  writeChat(join(io.home, '.cursor/chats', sha256(CWD), ID), { blobs, root })
  expect(listAll(agent, io).heads).toMatchObject([{ native_id: ID, cwd: CWD, resumable: true }])
  const request: StartRequest = {
    session: ID,
    headless: false,
    args: ['--api-key=x'],
    cwd: CWD,
    folder: CWD,
    version: undefined,
    io,
    prompt: undefined,
  }
  expect(start.preflight?.('warm', request, readContext(io))).toBeUndefined()
  const move = { from: CWD, to: '/home/dev/store' }
  expect(backup.rewrite?.path?.(`chats/${sha256(CWD)}/${ID}/store.db`, move)).toBe(
    `chats/${sha256('/home/dev/store')}/${ID}/store.db`,
  )
})

test('a transcript says how the last turn ended, and where thoughts were left out', () => {
  const io = scratchIo()
  const path = join(io.home, '.cursor/projects/home-dev-shop/agent-transcripts', ID, `${ID}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const said = (role: string, text: string): object => ({ role, message: { content: [{ type: 'text', text }] } })
  const write = (ended: object): void => {
    const lines = [said('user', '<user_query>\nHello\n</user_query>'), said('assistant', 'Hi.\n\n[REDACTED]'), ended]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
  const answer = [
    { type: 'user', content: 'Hello' },
    { type: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
    { type: 'system', subtype: 'redacted' },
  ]
  write({ type: 'turn_ended', status: 'success' })
  expect(readChat(io).events).toHaveLength(3)
  expect(readChat(io).events).toMatchObject(answer)
  write({ type: 'turn_ended', status: 'aborted', error: 'stopped' })
  expect(readChat(io).events).toMatchObject([...answer, { type: 'system', subtype: 'interrupted' }])
  write({ type: 'turn_ended', status: 'error', error: 'no credit' })
  expect(readChat(io).events).toMatchObject([...answer, { type: 'system', subtype: 'api_error' }])
})
