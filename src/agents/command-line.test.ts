import { expect, test } from 'vitest'
import { type CommandLine, parseCommandLine } from './command-line.ts'
import { findAgent } from './find.ts'

/** The command lines of the start scripts in Coder's registry, and what Ion makes of them. */
const lines: readonly (readonly [agent: string, words: readonly string[], expected: CommandLine])[] = [
  ['aider', ['--model', 'x/y', '--yes-always'], { args: ['--model', 'x/y', '--yes-always'] }],
  ['aider', ['--message', 'fix it', '--yes-always'], { args: ['--yes-always'], prompt: 'fix it' }],
  ['amazon-q', ['chat', '--trust-all-tools', 'fix it'], { args: ['--trust-all-tools'], prompt: 'fix it' }],
  ['amazon-q', ['chat', '--resume'], { args: [] }],
  ['amp', ['--mode', 'smart'], { args: ['--mode', 'smart'] }],
  [
    'auggie',
    [
      '--ask',
      '--model',
      'm',
      '--mcp-config',
      'a.json',
      '--continue',
      '--instruction',
      'fix it',
      '--workspace-root',
      '/w',
    ],
    { args: ['--ask', '--model', 'm', '--mcp-config', 'a.json'], prompt: 'fix it' },
  ],
  [
    'claude',
    ['--dangerously-skip-permissions', '--session-id', 'cd1', '--', 'fix it'],
    { args: ['--dangerously-skip-permissions'], prompt: 'fix it' },
  ],
  ['claude', ['--continue', '--model', 'opus'], { args: ['--model', 'opus'] }],
  ['claude', ['--resume', 'cd1'], { args: [] }],
  ['codex', ['--model', 'gpt', '-c', 'a=b', 'fix it'], { args: ['--model', 'gpt', '-c', 'a=b'], prompt: 'fix it' }],
  ['codex', ['resume', '--last'], { args: [] }],
  ['copilot', ['--continue', '--allow-all-tools'], { args: ['--allow-all-tools'] }],
  ['copilot', ['--resume=cd1', '-i', 'fix it'], { args: [], prompt: 'fix it' }],
  ['cursor', ['--model', 'm', '-f', 'fix it'], { args: ['--model', 'm', '-f'], prompt: 'fix it' }],
  ['cursor', ['--model', 'm'], { args: ['--model', 'm'] }],
  ['gemini', ['--yolo', '--prompt-interactive', 'fix it'], { args: ['--yolo'], prompt: 'fix it' }],
  ['goose', [], { args: [] }],
  ['goose', ['run', '--interactive', '--instructions', '/m/prompt.txt'], { args: [], promptFile: '/m/prompt.txt' }],
  ['goose', ['session', '--resume', '--name', 'x'], { args: [] }],
  ['kiro', ['chat', '--trust-all-tools', 'fix it'], { args: ['--trust-all-tools'], prompt: 'fix it' }],
  ['opencode', ['--session', 'ses_1', '--model', 'a/b'], { args: ['--model', 'a/b'] }],
  ['opencode', ['--continue', '--prompt=fix it'], { args: [], prompt: 'fix it' }],
]

test.each(lines)('%s %j', (agent, words, expected) => {
  expect(parseCommandLine(findAgent(agent).start!.commandLine ?? {}, words)).toEqual(expected)
})

test('an option at the end that lacks its value takes nothing else', () => {
  const spec = { session: ['--resume'], prompt: ['--prompt'], switches: ['-c'] }
  expect(parseCommandLine(spec, ['-x', '--resume'])).toEqual({ args: ['-x'] })
  expect(parseCommandLine(spec, ['--resume', '-x', '--prompt'])).toEqual({ args: ['-x'], prompt: '' })
  expect(parseCommandLine(spec, ['-c=1', '--'])).toEqual({ args: [] })
})
