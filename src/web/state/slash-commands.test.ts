import { expect, test } from 'vitest'
import { meaningOf, suggestions } from './slash-commands.ts'

test.each([
  ['/share', { command: 'share' }],
  [' /help \n', { command: 'help' }],
  ['//help', { send: '/help' }],
  ['/compact', { send: '/compact' }],
  ['/share it with them', { send: '/share it with them' }],
  ['/etc/passwd is missing', { send: '/etc/passwd is missing' }],
  ['  indented\nlines  \n', { send: '  indented\nlines' }],
])('%j', (text, expected) => {
  expect(meaningOf(text)).toEqual(expected)
})

test('suggestions follow what is typed, and only a command', () => {
  const names = (text: string): string[] => suggestions(text).map(({ name }) => name)
  expect([names('/'), names('/e'), names('/x'), names('e'), names('/help me')]).toEqual([
    ['share', 'export', 'handover', 'help'],
    ['export'],
    [],
    [],
    [],
  ])
})
