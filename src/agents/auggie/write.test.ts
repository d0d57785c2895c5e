import { expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Message, ToolCall } from '../write.ts'
import agent from './index.ts'

testWriter(agent, { home: () => scratchIo() })

const timestamp = '2026-11-14T09:00:00.000Z'

function user(text: string): Message {
  return { role: 'user', id: text, timestamp, content: [{ type: 'text', text }] }
}

function assistant(id: string, ...content: (Message & { role: 'assistant' })['content']): Message {
  return { role: 'assistant', id, timestamp, model: null, content }
}

function call(id: string): ToolCall {
  return { type: 'call', id, name: 'Bash', input: {}, output: `out of ${id}`, isError: false, timestamp }
}

interface Item {
  readonly exchange: Record<'request_nodes' | 'response_nodes', Record<string, Record<string, unknown>>[]>
}

/** What each item sends and gets, as short texts. */
function shapeOf(messages: readonly Message[]): string[][] {
  const io = scratchIo()
  const write = agent.writer!.prepare({ cwd: '/home/dev/shop', version: '0.36.0', io })
  if (typeof write !== 'function') throw new Error(write.why)
  const id = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'
  const { parts } = write({ id, cwd: '/home/dev/shop', title: 'Refunds', at: '2026-11-15T10:00:00.000Z', messages })
  const [part] = parts
  if (part?.kind !== 'file') throw new Error('not a file')
  const { chatHistory } = JSON.parse(part.content) as { chatHistory: Item[] }
  return chatHistory.map(({ exchange }) => [
    ...exchange.request_nodes.flatMap((node) => {
      if (node.text_node) return [`prompt ${node.text_node.content}`]
      return node.tool_result_node ? [`result ${node.tool_result_node.tool_use_id}`] : []
    }),
    ...exchange.response_nodes.map((node) =>
      node.tool_use ? `call ${node.tool_use.tool_use_id}` : `text ${JSON.stringify(node.content)}`,
    ),
  ])
}

test('results are in the item after their calls, and what follows each other is in one', () => {
  const messages = [
    user('summary'),
    user('go'),
    assistant('a', { type: 'text', text: 'one ' }, { type: 'text', text: 'two' }, call('x'), call('y')),
    assistant('b', { type: 'text', text: 'three' }),
    assistant('c', { type: 'text', text: 'four' }, call('z')),
    user('stop'),
  ]
  expect(shapeOf(messages)).toEqual([
    ['prompt summary', 'prompt go', 'text "one"', 'text "\\ntwo"', 'call x', 'call y'],
    ['result x', 'result y', 'text "three"', 'text "\\nfour"', 'call z'],
    ['result z', 'prompt stop'],
  ])
})

test('the result of a last call has an item of its own', () => {
  expect(shapeOf([user('go'), assistant('a', call('x'))])).toEqual([['prompt go', 'call x'], ['result x']])
})
