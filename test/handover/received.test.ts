import { expect, test } from 'vitest'
import { type Piece, receivedPieces } from './received.ts'

/** The same conversation in each protocol. */
const wanted: Piece[] = [
  { kind: 'text', role: 'user', text: 'look' },
  { kind: 'image', data: 'aQ==' },
  { kind: 'text', role: 'assistant', text: 'I do' },
  { kind: 'call', id: 'c1', name: 'Read', input: { path: 'x' } },
  { kind: 'call', id: 'c2', name: 'Read', input: { path: 'y' } },
  { kind: 'result', id: 'c1', text: 'one' },
  { kind: 'result', id: 'c2', text: 'two' },
  { kind: 'text', role: 'user', text: 'and now' },
]

const bodies: Record<string, object> = {
  anthropic: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aQ==' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'I do' },
          { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'x' } },
          { type: 'tool_use', id: 'c2', name: 'Read', input: { path: 'y' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'one' },
          { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'two' }] },
        ],
      },
      { role: 'user', content: 'and now' },
    ],
  },
  responses: {
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'data:image/png;base64,aQ==' },
        ],
      },
      { type: 'reasoning', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I do' }] },
      { type: 'function_call', call_id: 'c1', name: 'Read', arguments: '{"path":"x"}' },
      { type: 'function_call', call_id: 'c2', name: 'Read', arguments: '{"path":"y"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      { type: 'function_call_output', call_id: 'c2', output: { content: 'two', success: true } },
      { role: 'user', content: 'and now' },
    ],
  },
  chat: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aQ==' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I do',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'Read', arguments: '{"path":"x"}' } },
          { id: 'c2', type: 'function', function: { name: 'Read', arguments: '{"path":"y"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'and now' },
    ],
  },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'aQ==' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'I do' },
          { functionCall: { id: 'c1', name: 'Read', args: { path: 'x' } } },
          { functionCall: { id: 'c2', name: 'Read', args: { path: 'y' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'Read', response: { output: 'one' } } },
          { functionResponse: { id: 'c2', name: 'Read', response: { error: 'two' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and now' }] },
    ],
  },
  augment: {
    chat_history: [
      {
        request_message: 'look',
        request_nodes: [
          { type: 0, text_node: { content: 'look' } },
          { type: 2, image_node: { image_data: 'aQ==', format: 1 } },
        ],
        response_text: 'I do',
        response_nodes: [
          { type: 8, thinking: { summary: 'hm' } },
          { type: 0, content: 'I do' },
          { type: 5, tool_use: { tool_use_id: 'c1', tool_name: 'Read', input_json: '{"path":"x"}' } },
          { type: 5, tool_use: { tool_use_id: 'c2', tool_name: 'Read', input_json: '{"path":"y"}' } },
        ],
      },
    ],
    nodes: [
      { type: 1, tool_result_node: { tool_use_id: 'c1', content: 'one' } },
      { type: 1, tool_result_node: { tool_use_id: 'c2', content: 'two' } },
      { type: 0, text_node: { content: 'and now' } },
    ],
  },
}

test.each(Object.entries(bodies))('%s: texts, images, calls and results in their order', (protocol, body) => {
  expect(receivedPieces(protocol, body)).toEqual(wanted)
})

test('a protocol that nobody reads here', () => {
  expect(receivedPieces('another', {})).toBeUndefined()
})
