import { expect, test } from 'vitest'
import { typedBlock } from './messages.ts'

test('an attachment is an image or a file, with its bytes where the URL contains them', () => {
  const data = 'data:application/pdf;base64,aGk='
  const parts = [
    { type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGk=' },
    { type: 'file', mime: 'application/pdf', filename: 'plan.pdf', url: data },
    { type: 'file', mime: 'application/pdf', url: data },
    { type: 'file', mime: 'text/plain', url: 'file:///home/dev/cart.ts' },
  ]
  expect(parts.map(typedBlock)).toEqual([
    { type: 'image', media_type: 'image/png', data: 'aGk=' },
    { type: 'file', path: 'plan.pdf', media_type: 'application/pdf', data: 'aGk=' },
    { type: 'file', path: 'unnamed', media_type: 'application/pdf', data: 'aGk=' },
    { type: 'file', path: '/home/dev/cart.ts', media_type: 'text/plain' },
  ])
})
