import { expect, test } from 'vitest'
import type { ScreenRow } from '../screen.ts'
import { readApproval, readChatInput } from './chat-prompt.ts'

const screen = (...lines: string[]): ScreenRow[] => [...lines, '', ''].map((text) => ({ text, vivid: text }))

// As users of the successor's classic engine report it.
const ASKED = [
  'I will run the following command: npm test (using tool: shell)',
  'Purpose: Run the tests',
  '',
  "Allow this action? Use 't' to trust (always allow) the 'shell' tool for the session. [y/n/t]:",
  '',
]

test.each(['> ', '!> ', '↯ > ', '[dev] > ', '[dev] 8% > ', '[dev] 8% ↯ !> '])('the prompt %s', (prompt) => {
  expect(readChatInput(screen('An answer.', '', prompt))).toBe('')
  expect(readChatInput(screen('An answer.', '', `${prompt}half a message`))).toBe('half a message')
  expect(readChatInput(screen(...ASKED, prompt))).toBeUndefined()
  expect(readApproval(screen(...ASKED, prompt))).toEqual({
    text: 'Allow this action?',
    details: 'I will run the following command: npm test (using tool: shell)\nPurpose: Run the tests',
    choices: ['Yes', 'No', "Trust (always allow) the 'shell' tool for the session"],
    marked: -1,
    typed: ['\x15y\r', '\x15n\r', '\x15t\r'],
  })
})

test('a question that was answered, or is only quoted, is not asked', () => {
  expect(readApproval(screen(...ASKED, '> y', '', 'Running the tests'))).toBeUndefined()
  expect(readApproval(screen(...ASKED, '> y', '', '> Done.', '', '> '))).toBeUndefined()
  expect(readApproval(screen(...ASKED, 'is what it asks.', '', '> '))).toBeUndefined()
})
