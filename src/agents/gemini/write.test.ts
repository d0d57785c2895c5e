import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { placeSession } from '../../handover/place.ts'
import { differs } from '../../handover/read-back.ts'
import type { Io } from '../../platform/io.ts'
import type { Message, ToolCall, WrittenSession } from '../write.ts'
import agent from './index.ts'

/** Gemini was used in the project before: the file that names a folder's project stays, as other sessions need it. */
function home(): Io {
  const io = scratchIo()
  const folder = join(io.home, '.gemini', 'tmp', 'handed-over')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.project_root'), join(io.home, 'handed-over'))
  return io
}

testWriter(agent, { home })
testWriter(agent, { home, version: '0.33.0' })

test.each(['0.33.0', '0.61.0'])('a session whose only prompt looks like a command can be resumed, in %s', (version) => {
  const io = home()
  const folder = join(io.home, 'handed-over')
  placeSession(agent, written(io, folder, [user('/ is the root of what?')], version), folder, io, false)
  const [head] = listAll(agent, io).heads.filter(({ native_id }) => native_id === ID)
  expect(head).toMatchObject({ resumable: true })
})

const ID = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'
const timestamp = '2026-11-14T09:00:00.000Z'

function user(text: string): Message {
  return { role: 'user', id: text, timestamp, content: [{ type: 'text', text }] }
}

function assistant(id: string, ...blocks: (string | ToolCall)[]): Message {
  const content = blocks.map((one) => (typeof one === 'string' ? { type: 'text' as const, text: one } : one))
  return { role: 'assistant', id, timestamp, model: null, content }
}

function call(id: string): ToolCall {
  return { type: 'call', id, name: 'Bash', input: { id }, output: `out of ${id}`, isError: false, timestamp }
}

function written(io: Io, cwd: string, messages: readonly Message[], version = '0.61.0'): WrittenSession {
  const write = agent.writer!.prepare({ cwd, version, io })
  if (typeof write !== 'function') throw new Error(write.why)
  return write({ id: ID, cwd, title: 'Refunds', at: '2026-11-15T10:00:00.000Z', messages })
}

function recordsIn({ parts }: WrittenSession): Record<string, unknown>[] {
  const part = parts.at(-1)!
  if (part.kind !== 'file') throw new Error('not a file')
  const lines = part.content.trimEnd().split(/[\n\u2028\u2029]/)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('what Gemini would not send again', () => {
  const messages = [
    user('/home/dev/shop/pay.ts fails, why?'),
    assistant('a', 'Because.'),
    user(' ? what'),
    assistant('b', 'That.'),
    user('<session_context> in the log'),
    assistant('c', 'Also a \u2028 separator.'),
  ]

  test.each(['0.61.0', '0.33.0'])('is written so that it does, and read as it was: %s', (version) => {
    const io = scratchIo()
    const cwd = join(io.home, 'shop')
    mkdirSync(cwd)
    placeSession(agent, written(io, cwd, messages, version), cwd, io, false)
    const [head] = listAll(agent, io).heads
    expect(differs(messages, readAll(agent, head!, io).events)).toBeUndefined()
    expect(head).toMatchObject({ title: 'Refunds', cwd, resumable: true })
  })

  test('has a part in front of it', () => {
    const io = scratchIo()
    const prompts = recordsIn(written(io, '/home/dev/shop', messages)).filter(({ type }) => type === 'user')
    expect(prompts.map(({ content }) => content)).toEqual([
      [{ text: '\u200b' }, { text: '/home/dev/shop/pay.ts fails, why?' }],
      [{ text: '\u200b' }, { text: ' ? what' }],
      [{ text: '\u200b' }, { text: '<session_context> in the log' }],
    ])
  })
})

test('texts and calls of an answer keep their order, and answers that follow each other are one', () => {
  const io = scratchIo()
  const messages = [user('go'), assistant('a', 'note'), assistant('b', 'one', call('x'), 'two', call('y'), call('z'))]
  const answers = recordsIn(written(io, '/home/dev/shop', messages)).filter(({ type }) => type === 'gemini')
  const shape = answers.map(({ content, toolCalls }) => [
    (content as { text: string }[]).map(({ text }) => text),
    (toolCalls as { id: string }[]).map(({ id }) => id),
  ])
  expect(shape).toEqual([
    [['note', 'one'], ['x']],
    [['two'], ['y', 'z']],
  ])
})

test('a session is put into the folder that its project has, under a name that survives a resume', () => {
  const io = scratchIo()
  const cwd = join(io.home, 'My Shop!')
  const folder = join(io.home, '.gemini', 'tmp', 'my-shop')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.project_root'), '/home/dev/another/my-shop')
  const files = placeSession(agent, written(io, cwd, [user('go')]), cwd, io, false)
  const tmp = join(io.home, '.gemini', 'tmp')
  expect(files).toEqual([
    join(tmp, 'my-shop-1', '.project_root'),
    join(tmp, 'my-shop-1', 'chats', `session-2026-11-15T10-00-${ID}.jsonl`),
  ])
})
