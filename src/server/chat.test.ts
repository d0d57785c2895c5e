import { expect, test } from 'vitest'
import { madeChat } from '../../test/support/fake-chat.ts'
import type { Chat } from './chat.ts'

/** What a reader that has seen all up to `seq` is told of messages. */
function toldAfter({ log }: Chat, seq: number): string[] {
  const told: string[] = []
  for (let change = log.next(seq); change; change = log.next(change.seq)) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)\n/.exec(change.value.serialize(0))!
    if (event !== 'status_change') told.push(`${event} ${JSON.parse(data!).id}`)
  }
  return told
}

test('a message that is no longer there is told as removed, and as itself when it comes back', async () => {
  const [one, two, three] = ['one', 'two', 'three'].map((content) => ({ type: 'user', content }) as const)
  const { chat, write } = await madeChat(one!, two!, three!)
  expect(toldAfter(chat, 0)).toEqual(['message_update 0', 'message_update 1', 'message_update 2'])
  const { seq } = chat.log
  await write(one!)
  expect(toldAfter(chat, seq)).toEqual(['message_removed 1', 'message_removed 2'])
  expect(chat.messages.map(({ id }) => id)).toEqual([0])
  await write(one!, two!)
  expect(toldAfter(chat, seq)).toEqual(['message_removed 2', 'message_update 1'])
  expect(chat.messages.map(({ id }) => id)).toEqual([0, 1])
})
