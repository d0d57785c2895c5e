import { expect, test } from 'vitest'
import type { IonEvent } from '../events/event.ts'
import { isTooDeep } from '../native/json-lines.ts'
import { toConversation } from './conversation.ts'
import { Losses } from './report.ts'

const FORM = { calls: 'kept', images: true, thinking: 'drop' } as const
const base = { timestamp: '2026-11-14T09:00:00.000Z' }

function converted(...events: object[]) {
  const losses = new Losses()
  const all = events.map((event, index) => ({ ...base, id: `event-${index}`, ...event })) as unknown as IonEvent[]
  return { messages: toConversation(all, FORM, losses), losses: losses.list }
}

test('half characters are replaced: parsers of agents stop at them', () => {
  const { messages, losses } = converted(
    { type: 'user', content: 'half \ud83d, whole 🙂' },
    { type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'echo \udc00', list: ['\ud800x'] } },
    { type: 'tool_result', tool_use_id: 'call_1', content: '\ud83d', is_error: false },
  )
  expect(messages.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'half \ufffd, whole 🙂' }],
    [
      {
        type: 'call',
        id: 'call_1',
        name: 'Bash',
        input: { command: 'echo \ufffd', list: ['\ufffdx'] },
        output: '\ufffd',
        isError: false,
        ...base,
      },
    ],
  ])
  expect(losses).toEqual([{ outcome: 'changed', what: 'character', count: 4, reason: 'only half of it was stored' }])
})

test('an input that is nested too deep becomes text', () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
  const { messages, losses } = converted(
    { type: 'user', content: 'go' },
    { type: 'tool_use', id: 'call_1', name: 'x', input: nested(90) },
    { type: 'tool_use', id: 'call_2', name: 'x', input: nested(300) },
  )
  const inputs = messages[1]!.content.map((block) => (block.type === 'call' ? block.input : undefined))
  expect(inputs).toEqual([nested(90), { input: JSON.stringify(nested(300)) }])
  expect(inputs.some((input) => isTooDeep(input, 100))).toBe(false)
  expect(losses.map(({ reason }) => reason)).toContain('its input was nested more than 100 levels deep')
})
