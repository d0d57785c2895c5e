import { expect, test } from 'vitest'
import { readQuestion } from './question.ts'

const read = (...lines: readonly string[]) => readQuestion(lines.map((text) => ({ text, vivid: text })))

// As 1.52.0 draws it with GOOSE_MODE=approve.
const REQUEST = ['  Tool approval request', '    {', '      "tool_name": "shell"', '    }', '']
const ASKED = '◆  Goose would like to call the above tool, do you allow?'

test('a call that is to be approved, with its choices', () => {
  expect(
    read(
      '> ASK me',
      '  ▸ shell',
      ...REQUEST,
      ASKED,
      '│  ○ Allow (Allow the tool call once)',
      '│  ● Always Allow ',
      '│  ○ Deny ',
      '│  ○ Cancel ',
      '└  ',
      '',
    ),
  ).toEqual({
    text: 'Goose would like to call the above tool, do you allow?',
    details: '    {\n      "tool_name": "shell"\n    }',
    choices: ['Allow (Allow the tool call once)', 'Always Allow', 'Deny', 'Cancel'],
    marked: 1,
  })
})

test('choices in one row are left to the terminal', () => {
  expect(read('◆  Switch back to it?', '│  ● Yes  / ○ No ', '└  ')).toEqual({
    text: 'Switch back to it?',
    details: '',
    choices: [],
    marked: -1,
  })
})

test('an answered question is not reported', () => {
  expect(
    read(...REQUEST, '◇  Goose would like to call the above tool, do you allow?', '│  Allow ', '│'),
  ).toBeUndefined()
  expect(read(ASKED, '│  ● Allow', '│  ○ Deny', '└  ', 'tool said: nothing', '> ')).toBeUndefined()
})
