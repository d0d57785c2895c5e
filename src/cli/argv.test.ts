import { expect, test } from 'vitest'
import { protectDashArguments } from './argv.ts'

const commands = [
  {
    name: 'search',
    summary: '',
    dashWords: true,
    options: [
      { flags: '--limit <n>', summary: '' },
      { flags: '--json', summary: '' },
    ],
  },
  { name: 'show', summary: '' },
  {
    name: 'run',
    summary: '',
    dashWords: true,
    rest: { name: 'arguments', summary: '' },
    options: [{ flags: '--json', summary: '' }],
  },
].map((command) => ({ ...command, load: () => Promise.reject(new Error('not run')) }))

test.each([
  ['search login -draft --limit 5 x', 'search --limit 5 -- login -draft x'],
  ['search -hello --json', 'search --json -- -hello'],
  ['search --limit=5 x', 'search --limit=5 -- x'],
  ['search -h', 'search -h'],
  ['search a -- --json', 'search -- a --json'],
  ['search --unknown x', 'search --unknown -- x'],
  ['show -x y', 'show -x y'],
  ['run x -p fix', 'run -p -- x fix'],
  ['run x fix the -p flag', 'run -- x fix the -p flag'],
  ['run x - --json', 'run --json -- x -'],
  ['', ''],
])('%s', (line, expected) => {
  expect(protectDashArguments(line.split(' ').filter(Boolean), commands).join(' ')).toBe(expected)
})
