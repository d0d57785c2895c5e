import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleLog } from '../../test/support/sample-events.ts'
import type { Message, ToolCall } from '../agents/write.ts'
import type { IonEvent } from '../events/event.ts'
import { type Form, NO_RESULT, toConversation } from './conversation.ts'
import { Losses } from './report.ts'

const keeping: Form = { calls: 'kept', images: false, thinking: 'drop' }

function converted(form: Form, ...bodies: Parameters<typeof sampleLog>): { messages: Message[]; losses: string[] } {
  const losses = new Losses()
  const messages = toConversation(sampleLog(...bodies).slice(1), form, losses)
  return { messages, losses: losses.list.map(({ outcome, what, count }) => `${outcome} ${count} ${what}`) }
}

test('a turn with two calls at once is a prompt, an answer with both calls and their results, and an answer', () => {
  const { messages, losses } = converted(
    keeping,
    { type: 'user', content: 'Look' },
    { type: 'assistant', content: [{ type: 'text', text: 'I look.' }], model: 'm' },
    { type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } },
    { type: 'tool_use', id: 'b', name: 'Read', input: { path: 'x' } },
    { type: 'tool_result', tool_use_id: 'b', content: 'two', is_error: true },
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }], is_error: false },
    { type: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  )
  const at = (second: number): string => `2026-03-12T14:00:0${second}.000Z`
  expect(messages).toEqual([
    { role: 'user', id: 'e1', timestamp: at(1), content: [{ type: 'text', text: 'Look' }] },
    {
      role: 'assistant',
      id: 'e2',
      timestamp: at(2),
      model: 'm',
      content: [
        { type: 'text', text: 'I look.' },
        {
          type: 'call',
          id: 'a',
          name: 'Bash',
          input: { command: 'ls' },
          output: 'one',
          isError: false,
          timestamp: at(6),
        },
        { type: 'call', id: 'b', name: 'Read', input: { path: 'x' }, output: 'two', isError: true, timestamp: at(5) },
      ],
    },
    { role: 'assistant', id: 'e7', timestamp: at(7), model: null, content: [{ type: 'text', text: 'Done.' }] },
  ])
  expect(losses).toEqual([])
})

test('a call without a result gets one that says so, and a result without its call becomes text', () => {
  const { messages, losses } = converted(
    keeping,
    { type: 'user', content: 'Look' },
    { type: 'tool_use', id: 'a', name: 'Bash', input: 'ls' },
    { type: 'user', content: 'Stop' },
    { type: 'tool_result', tool_use_id: 'lost', content: 'who asked?', is_error: false },
  )
  expect(messages[1]).toMatchObject({
    content: [{ id: 'a', input: { input: 'ls' }, output: NO_RESULT, isError: true }],
  })
  expect(messages[3]).toMatchObject({ role: 'assistant', content: [{ text: '[result of a tool]\nwho asked?' }] })
  expect(losses.sort()).toEqual(['changed 1 call', 'changed 1 call', 'text 1 result'])
})

test('an id that providers refuse becomes the same other one each time, and equal ids become different', () => {
  const long = 'x'.repeat(930)
  const calls = (): string[] =>
    converted(
      keeping,
      { type: 'user', content: 'Look' },
      ...[long, 'a.b/c', 'same', 'same'].flatMap(
        (id): Parameters<typeof sampleLog> => [
          { type: 'tool_use', id, name: 'Bash', input: {} },
          { type: 'tool_result', tool_use_id: id, content: 'ok', is_error: false },
        ],
      ),
    ).messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'call' ? [block.id] : [])))
  const ids = calls()
  expect(ids).toEqual(calls())
  expect(new Set(ids).size).toBe(4)
  expect(ids[2]).toBe('same')
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
})

test('thinking, notices and unknown records are left out and counted; thinking as text on request', () => {
  const bodies: Parameters<typeof sampleLog> = [
    { type: 'user', content: 'Look' },
    { type: 'thinking', content: 'hm' },
    { type: 'system', subtype: 'reminder', content: 'x' },
    { type: 'native', record: {} },
    { type: 'assistant', content: [{ type: 'text', text: ' \n' }] },
  ]
  expect(converted(keeping, ...bodies).losses.sort()).toEqual([
    'dropped 1 answer',
    'dropped 1 notice',
    'dropped 1 record',
    'dropped 1 thinking',
  ])
  expect(converted({ ...keeping, thinking: 'text' }, ...bodies).messages[1]).toMatchObject({
    content: [{ type: 'text', text: '[thinking]\nhm' }],
  })
})

test('calls become text for an agent that stores none', () => {
  const { messages } = converted(
    { ...keeping, calls: 'text' },
    { type: 'user', content: 'Look' },
    { type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } },
    { type: 'tool_result', tool_use_id: 'a', content: 'x.ts', is_error: false },
  )
  expect(messages[1]!.content).toEqual([{ type: 'text', text: '[tool Bash] {"command":"ls"}\n[result]\nx.ts' }])
})

test('images are kept only where the target takes them', () => {
  const image = { type: 'image' as const, media_type: 'image/png', data: 'AAAA' }
  const body = { type: 'user' as const, content: [{ type: 'text' as const, text: 'See' }, image] }
  expect(converted({ ...keeping, images: true }, body).messages[0]!.content).toEqual([
    { type: 'text', text: 'See' },
    image,
  ])
  expect(converted(keeping, body).messages[0]!.content).toEqual([
    { type: 'text', text: 'See' },
    { type: 'text', text: '[image image/png]' },
  ])
})

test('whatever the events are, the conversation has the form that every provider takes', () => {
  const text = fc.constantFrom('', ' ', 'hello', 'ä 日本 🙂')
  const callId = fc.constantFrom('a', 'b', 'c.d', 'y'.repeat(100))
  const body = fc.oneof(
    fc.record({ type: fc.constant('user' as const), content: text }),
    fc.record({
      type: fc.constant('assistant' as const),
      content: text.map((one) => [{ type: 'text' as const, text: one }]),
    }),
    fc.record({ type: fc.constant('thinking' as const), content: text }),
    fc.record({ type: fc.constant('compaction' as const), summary: text, replaces: fc.constant<string[]>([]) }),
    fc
      .tuple(callId, fc.constantFrom({}, [], 'x', null, { a: 1 }))
      .map(([call, input]) => ({ type: 'tool_use' as const, call, name: '', input })),
    fc.record({
      type: fc.constant('tool_result' as const),
      tool_use_id: callId,
      content: text,
      is_error: fc.boolean(),
    }),
  )
  fc.assert(
    fc.property(
      fc.array(body, { maxLength: 20 }),
      fc.constantFrom<Form>(keeping, { ...keeping, calls: 'text' }),
      (all, form) => {
        // An agent may use an id twice, but our readers give every event its own: the call's is kept beside it.
        const events = sampleLog(
          ...all.map((one) =>
            one.type === 'tool_use' ? { type: one.type, id: one.call, name: one.name, input: one.input } : one,
          ),
        ).slice(1) as IonEvent[]
        const messages = toConversation(events, form, new Losses())
        expect(messages[0]?.role ?? 'user').toBe('user')
        const calls = messages.flatMap(({ content }) =>
          content.filter((block): block is ToolCall => block.type === 'call'),
        )
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
        for (const { id, input, name } of calls) {
          expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(input !== null && typeof input === 'object' && !Array.isArray(input)).toBe(true)
          expect(name).not.toBe('')
        }
        for (const { content } of messages) {
          expect(content.length).toBeGreaterThan(0)
          for (const block of content) if (block.type === 'text') expect(block.text.trim()).not.toBe('')
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a summary is introduced once, however often it is handed over', () => {
  const summary = (text: string): string => {
    const [{ content } = { content: [] }] = converted(keeping, {
      type: 'compaction',
      summary: text,
      replaces: [],
    }).messages
    return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join()
  }
  const once = summary('we fixed it')
  expect(once).toBe('Summary of the conversation so far:\n\nwe fixed it')
  expect(summary(once)).toBe(once)
})
