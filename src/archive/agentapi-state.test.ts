import { expect, test } from 'vitest'
import { parseEvent } from '../events/log-line.ts'
import { chatLog, dropShortened, hasFewerMessages, isContinuation, isState, parseState } from './agentapi-state.ts'

const time = (second: number): string => `2026-11-16T10:00:0${second}.123456789+01:00`
const agent = (id: number, message: string) => ({ id, message, role: 'agent', time: time(id) })
const user = (id: number, message: string) => ({ id, message, role: 'user', time: time(id) })
const state = (...messages: object[]) => ({ version: 1, messages, initial_prompt: '', initial_prompt_sent: true })
const parsed = (...messages: object[]) => parseState(state(...messages))

const chat = parsed(agent(0, 'Welcome     '), user(1, 'Fix the refund test'), agent(2, 'Done'))

test('a chat becomes canonical events with its ids and times', () => {
  const { start, events } = chatLog(chat, { agent: 'a', cwd: '/gone/shop' })
  expect(events.map((event) => parseEvent(event, 1))).toEqual([
    {
      type: 'session_start',
      seq: 0,
      id: `${start.session_id}:start`,
      parent_id: null,
      timestamp: '2026-11-16T09:00:01.123Z',
      v: 1,
      session_id: start.session_id,
      agent: 'a',
      native_id: expect.stringMatching(/^agentapi-[0-9a-f]{16}$/),
      cwd: '/gone/shop',
      project: '/gone/shop',
      title: 'Fix the refund test',
      source: { agent_version: null, format: 'agentapi-state-v1' },
    },
    {
      type: 'assistant',
      seq: 1,
      id: 'm0',
      parent_id: `${start.session_id}:start`,
      timestamp: '2026-11-16T09:00:00.123Z',
      content: [{ type: 'text', text: 'Welcome' }],
    },
    {
      type: 'user',
      seq: 2,
      id: 'm1',
      parent_id: 'm0',
      timestamp: '2026-11-16T09:00:01.123Z',
      content: 'Fix the refund test',
    },
    {
      type: 'assistant',
      seq: 3,
      id: 'm2',
      parent_id: 'm1',
      timestamp: '2026-11-16T09:00:02.123Z',
      content: [{ type: 'text', text: 'Done' }],
    },
  ])
})

test('a chat that continued, or whose screen changed, is the same session; that of another agent is not', () => {
  const idOf = (of: typeof chat, who = 'a'): string => chatLog(of, { agent: who, cwd: null }).start.session_id
  const later = parsed(agent(0, 'Welcome back'), user(1, 'Fix the refund test'), agent(2, 'Done'), user(3, 'more'))
  expect(idOf(later)).toBe(idOf(chat))
  expect(idOf(chat, 'b')).not.toBe(idOf(chat))
  expect(idOf(parsed(user(1, 'Another')))).not.toBe(idOf(chat))
})

test.each([
  ['another version', { version: 2, messages: [] }, 'unknown version 2 of a state file; Ion knows version 1'],
  ['no list', { version: 1, messages: {} }, 'messages is not a list'],
  ['a message without text', state(user(1, 'x'), { id: 2, role: 'user', time: time(2) }), 'message 2 is invalid'],
  ['an unknown role', state({ ...user(1, 'x'), role: 'system' }), 'message 1 is invalid'],
  ['an id twice', state(user(1, 'x'), user(1, 'y')), 'message 2 has the same id as another one (1)'],
  ['no object', [], 'unknown version undefined of a state file; Ion knows version 1'],
])('%s is refused with what is wrong', (_name, value, message) => {
  expect(() => parseState(value)).toThrow(message)
})

test('a state is distinguished from a log of one line, and null is an empty list', () => {
  expect(
    [state(), { version: 7, messages: null }, { type: 'session_start', v: 1 }, [], 'x', null].map(isState),
  ).toEqual([true, true, false, false, false, false])
  expect(parseState({ version: 1, messages: null })).toEqual({ messages: [] })
})

test('fewer messages, and another chat', () => {
  const screen = parsed(agent(0, 'Log in'))
  const blank = parsed(agent(0, ' '), user(1, 'Fix the refund test'), agent(2, '\n'))
  const longer = parsed(agent(0, 'Hello'), user(1, ' Fix the refund test'), agent(2, 'Done'), user(3, 'more'))
  const other = parsed(user(1, 'Another'), user(2, 'and'), user(3, 'more'))
  const all = [screen, blank, chat, longer, other]
  expect(all.map((one) => hasFewerMessages(one, chat))).toEqual([true, true, false, false, false])
  expect(all.map((one) => isContinuation(one, chat))).toEqual([false, true, true, true, false])
})

test('messages that have become shorter are dropped', () => {
  const { events } = chatLog(chat, { agent: 'a', cwd: null })
  const older = parsed(agent(0, 'Welcome'), user(1, 'Fix the refund test'), agent(2, 'Do'))
  const newer = parsed(agent(0, 'Hi'), user(1, 'Fix the refund test'), agent(2, 'Done, all'), user(3, 'x'))
  const taken = (of: typeof chat): string[] =>
    dropShortened(chatLog(of, { agent: 'a', cwd: null }).events.slice(1), events).map(({ id }) => id)
  expect([taken(older), taken(newer)]).toEqual([
    ['m0', 'm1'],
    ['m1', 'm2', 'm3'],
  ])
})
