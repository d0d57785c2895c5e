import { expect, test } from 'vitest'
import { until } from '../support/wait-until.ts'
import { post, scratchModel } from './testing.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

/** Sends each history as one turn; returns what is new in each. */
async function sentBy(histories: object[][], world: string = '') {
  const model = await scratchModel({ script: [{ when: 'hang', hang: true, after: '' }] })
  for (const messages of histories) {
    const agent = new AbortController()
    const body = { messages, stream: true }
    const response = await post(model, `${world}/v1/chat/completions`, body, { signal: agent.signal })
    if (model.log.entries.at(-1)?.step?.hang) {
      // As an agent that is killed in the middle of an answer.
      agent.abort()
      await until(() => expect(model.log.entries.at(-1)?.closed).toBe(true))
    } else await response.text()
  }
  return { model, sent: model.log.turns().map((turn) => turn.sent) }
}

test('a prompt is new once, however long the talk grows', async () => {
  const first = [user('one')]
  const second = [...first, assistant('answer'), user('two')]
  const { model, sent } = await sentBy([first, second, [...second, assistant('answer'), user('three')]])
  expect(sent).toEqual([['one'], ['two'], ['three']])
  expect([model.log.promptCount('one'), model.log.promptCount('t'), model.log.promptCount('four')]).toEqual([1, 2, 0])
})

test('a tool round brings nothing new', async () => {
  const call = { id: 'c', type: 'function', function: { name: 'shell', arguments: '{}' } }
  const round = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: '' },
  ]
  const { sent } = await sentBy([[user('one')], [user('one'), ...round], [user('one'), ...round, ...round]])
  expect(sent).toEqual([['one'], [], []])
})

test('a prompt that was cut off is not new in the next turn, joined with the next or not', async () => {
  expect((await sentBy([[user('hang a')], [user('hang a'), user('two')]])).sent).toEqual([['hang a'], ['two']])
  expect((await sentBy([[user('hang a')], [user('hang a\n\ntwo')]])).sent).toEqual([['hang a'], ['two']])
  const joined = await sentBy([[user('hang a')], [user('hang a\n\ntwo')], [user('hang a\n\ntwo\n\nthree')]])
  expect(joined.sent).toEqual([['hang a'], ['two'], ['three']])
  expect(joined.model.log.turns().map((turn) => turn.prompt)).toEqual(['hang a', 'two', 'three'])
})

test('a prompt that is sent again counts again: in a new session, and in the same one', async () => {
  expect((await sentBy([[user('hang a')], [user('hang a')]])).sent).toEqual([['hang a'], ['hang a']])
  const again = await sentBy([[user('hang a')], [user('hang a'), user('hang a')]])
  expect(again.sent).toEqual([['hang a'], ['hang a']])
  expect(again.model.log.promptCount('hang a')).toBe(2)
  expect((await sentBy([[user('one')], [user('one'), assistant('answer'), user('one')]])).sent).toEqual([
    ['one'],
    ['one'],
  ])
})

test('trying again what was refused brings nothing new', async () => {
  expect((await sentBy([[user('FAIL one')], [user('FAIL one')], [user('FAIL one')]])).sent).toEqual([
    ['FAIL one'],
    [],
    [],
  ])
})

test('worlds do not know of each other', async () => {
  const { model } = await sentBy([[user('one')]], '/w-a')
  await post(model, '/w-b/v1/chat/completions', { messages: [user('one')] })
  const { log } = model
  expect([log.promptCount('one'), log.promptCount('one', 'w-a'), log.promptCount('one', 'w-c')]).toEqual([2, 1, 0])
  expect([log.turns().length, log.turns('w-b').length]).toEqual([2, 1])
  expect(log.lastHistory('w-a')).toEqual([{ role: 'user', text: 'one', calls: [], results: [] }])
  expect(log.lastHistory('w-c')).toEqual([])
})
