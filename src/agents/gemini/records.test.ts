import { expect, test } from 'vitest'
import { toBlock } from './records.ts'

test('a part is a text, an image or a file, with its bytes if it has any', () => {
  const parts = [
    { text: 'hello' },
    { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
    { inlineData: { mimeType: 'application/pdf', data: 'aGk=', displayName: 'plan.pdf' } },
    { inlineData: { mimeType: 'audio/wav', data: 'aGk=' } },
    { fileData: { mimeType: 'text/plain', fileUri: 'file:///a.txt' } },
    { functionCall: {} },
  ]
  expect(parts.map(toBlock)).toEqual([
    { type: 'text', text: 'hello' },
    { type: 'image', media_type: 'image/png', data: 'aGk=' },
    { type: 'file', path: 'plan.pdf', media_type: 'application/pdf', data: 'aGk=' },
    { type: 'file', path: 'unnamed', media_type: 'audio/wav', data: 'aGk=' },
    { type: 'file', path: 'file:///a.txt', media_type: 'text/plain' },
    undefined,
  ])
})
