import { expect, test } from 'vitest'
import { readTyped } from './typed-line.ts'

test.each([
  ['  ', { kind: 'nothing' }],
  [' fix it\nplease ', { kind: 'message', text: 'fix it\nplease' }],
  ['/quit', { kind: 'command', name: 'quit', words: [] }],
  ['/export  html  a.html', { kind: 'command', name: 'export', words: ['html', 'a.html'] }],
  ['/compact now', { kind: 'message', text: '/compact now' }],
  ['/constructor', { kind: 'message', text: '/constructor' }],
  ['//help', { kind: 'message', text: '/help' }],
  ['/etc/passwd', { kind: 'message', text: '/etc/passwd' }],
])('%j', (line, typed) => {
  expect(readTyped(line)).toEqual(typed)
})
