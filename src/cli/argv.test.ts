import { expect, test } from 'vitest'
import { protectDashArguments, splitShortValues } from './argv.ts'

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
  {
    name: 'serve',
    summary: '',
    options: [
      { flags: '-I, --initial-prompt <prompt>', summary: '' },
      { flags: '-P, --print', summary: '' },
    ],
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

test('the value of a short option may follow an equals sign', () => {
  const split = (...words: string[]): readonly string[] => splitShortValues(['serve', ...words], commands).slice(1)
  expect(split('-I=fix\nit = now', '--json')).toEqual(['-I', 'fix\nit = now', '--json'])
  expect(split('-I=', '-I', '-I=x')).toEqual(['-I', '', '-I', '-I', 'x'])
  expect(split('-P=true', '-X=1', '--initial-prompt=a')).toEqual(['-P=true', '-X=1', '--initial-prompt=a'])
  expect(split('--', '-I=x')).toEqual(['--', '-I=x'])
})
