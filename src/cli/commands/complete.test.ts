import { expect, test } from 'vitest'
import type { Command } from '../command.ts'
import { complete, type Lookup } from './complete.ts'

const load = () => Promise.reject(new Error('not run'))
const commands: readonly Command[] = [
  {
    name: 'show',
    summary: 'read',
    arguments: [{ name: 'id', summary: '', completes: 'session' }],
    options: [
      { flags: '--full', summary: 'all' },
      { flags: '-o, --output <file>', summary: 'where', completes: 'file' },
      { flags: '--agent <id>', summary: 'whose', many: true, completes: 'agent' },
      { flags: '--format <f>', summary: 'how', choices: ['md', 'json'] },
    ],
    load,
  },
  {
    name: 'shell',
    summary: 'script',
    arguments: [{ name: 's', summary: '', many: true, choices: ['bash', 'zsh'] }],
    load,
  },
  {
    name: 'resume',
    summary: 'open',
    arguments: [
      { name: 'id', summary: '', completes: 'session' },
      { name: 'tags', summary: '', many: true, completes: 'tag' },
    ],
    load,
  },
  { name: 'secret', summary: '', internal: true, load },
]
const lookup: Lookup = {
  sessions: () => [{ value: '3f2a', summary: 'Fix' }],
  agents: () => [
    { value: 'one', summary: 'One' },
    { value: 'two', summary: 'Two' },
  ],
  tags: () => [{ value: 'payments', summary: '2 sessions' }],
}

function offered(line: string): string {
  const { candidates, paths } = complete(line.split(' '), commands, lookup)
  return [...candidates.map(({ value }) => value), ...(paths ? [`:${paths}`] : [])].join(' ')
}

test.each([
  ['', 'show shell resume'],
  ['sho', 'show'],
  ['--', '--continue --resume --help --version'],
  ['--resume 3', '3f2a'],
  ['-r ', '3f2a'],
  ['resume 3f2a pay', 'payments'],
  ['resume 3f2a x ', 'payments'],
  ['show ', '3f2a'],
  ['show 4', ''],
  ['show 3f2a ', ''],
  ['show --', '--full --output --agent --format --help'],
  ['show --full --a', '--agent'],
  ['show --full --agent one --', '--output --agent --format --help'],
  ['show --agent ', 'one two'],
  ['show --agent=t', '--agent=two'],
  ['show --agent = t', 'two'],
  ['show --agent =', 'one two'],
  ['show --format j', 'json'],
  ['show -o ', ':file'],
  ['show -o x ', '3f2a'],
  ['show -- --', ''],
  ['shell bash z', 'zsh'],
  ['unknown ', ''],
])('ion %s', (line, expected) => {
  expect(offered(line)).toBe(expected)
})
