import { expect, test } from 'vitest'
import type { Message } from '../agents/write.ts'
import type { ImageBlock, IonEvent } from '../events/event.ts'
import { toConversation, withTexts } from './conversation.ts'
import { Losses } from './report.ts'

const base = { parent_id: null, timestamp: '2026-11-14T09:00:00.000Z', seq: 0 }

test('texts and outputs become what the target can store, and each change is counted', () => {
  const { timestamp } = base
  const call = { type: 'call', id: 'x', name: 'Bash', input: {}, output: 'a\r\nb', isError: false, timestamp } as const
  const messages: Message[] = [
    { role: 'user', id: '1', timestamp, content: [{ type: 'text', text: 'same' }] },
    { role: 'assistant', id: '2', timestamp, model: null, content: [{ type: 'text', text: 'c\r\nd' }, call] },
  ]
  const losses = new Losses()
  expect(withTexts(messages, (text) => text.replaceAll('\r\n', '\n'), losses)).toEqual([
    messages[0],
    {
      ...messages[1],
      content: [
        { type: 'text', text: 'c\nd' },
        { ...call, output: 'a\nb' },
      ],
    },
  ])
  expect(losses.count('changed')).toBe(2)
})

test('an image of a type that not every provider accepts becomes text', () => {
  const image = (media_type: string | null): ImageBlock => ({ type: 'image', media_type, data: 'AAAA' })
  const content = [image('image/png'), image('image/svg+xml'), image(null)]
  const event: IonEvent = { ...base, id: '1', type: 'user', content }
  const form = { calls: 'kept', images: true, thinking: 'drop' } as const
  expect(toConversation([event], form, new Losses())[0]?.content).toEqual([
    image('image/png'),
    { type: 'text', text: '[image image/svg+xml]' },
    { type: 'text', text: '[image]' },
  ])
})
