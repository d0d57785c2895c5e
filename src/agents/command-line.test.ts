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
  ['claude', ['--resume', 'cd1', '--model', 'opus'], { args: ['--model', 'opus'], resumes: 'cd1' }],
  ['claude', ['--resume', '--model', 'opus'], { args: ['--model', 'opus'] }],
  ['claude', ['--verbose', 'fix it'], { args: ['--verbose'], prompt: 'fix it' }],
  ['claude', ['--model', 'opus', 'fix it'], { args: ['--model', 'opus'], prompt: 'fix it' }],
  ['claude', ['--allowedTools', 'Bash(git*) Edit'], { args: ['--allowedTools', 'Bash(git*) Edit'] }],
  ['claude', ['--allowedTools', 'Edit', 'Read'], { args: ['--allowedTools', 'Edit', 'Read'] }],
  ['codex', ['--model', 'gpt', '-c', 'a=b', 'fix it'], { args: ['--model', 'gpt', '-c', 'a=b'], prompt: 'fix it' }],
  ['codex', ['resume', '--last'], { args: [] }],
  ['codex', ['resume', '0199-1'], { args: [], resumes: '0199-1' }],
  ['codex', ['--model', 'gpt', 'resume', '0199-1'], { args: ['--model', 'gpt'], resumes: '0199-1' }],
  ['codex', ['resume', '0199-1', 'go on'], { args: [], prompt: 'go on', resumes: '0199-1' }],
  ['codex', ['--profile', 'resume', 'go on'], { args: ['--profile', 'resume'], prompt: 'go on' }],
  ['codex', ['--image', 'a.png', 'b.png'], { args: ['--image', 'a.png', 'b.png'] }],
  ['copilot', ['--continue', '--allow-all-tools'], { args: ['--allow-all-tools'] }],
  ['copilot', ['--resume=cd1', '-i', 'fix it'], { args: [], prompt: 'fix it', resumes: 'cd1' }],
  ['cursor', ['--model', 'm', '-f', 'fix it'], { args: ['--model', 'm', '-f'], prompt: 'fix it' }],
  ['cursor', ['--model', 'm'], { args: ['--model', 'm'] }],
  ['gemini', ['--yolo', '--prompt-interactive', 'fix it'], { args: ['--yolo'], prompt: 'fix it' }],
  ['goose', [], { args: [] }],
  ['goose', ['run', '--interactive', '--instructions', '/m/prompt.txt'], { args: [], promptFile: '/m/prompt.txt' }],
  ['goose', ['session', '--resume', '--name', 'x'], { args: [] }],
  ['goose', ['session', '--resume', '--session-id', '20261116_1'], { args: [], resumes: '20261116_1' }],
  ['kiro', ['chat', '--trust-all-tools', 'fix it'], { args: ['--trust-all-tools'], prompt: 'fix it' }],
  ['opencode', ['--session', 'ses_1', '--model', 'a/b'], { args: ['--model', 'a/b'], resumes: 'ses_1' }],
  ['opencode', ['--continue', '--prompt=fix it'], { args: [], prompt: 'fix it' }],
]

test.each(lines)('%s %j', (agent, words, expected) => {
  expect(parseCommandLine(findAgent(agent).start!.commandLine ?? {}, words)).toEqual(expected)
})

test('an option at the end that lacks its value takes nothing else', () => {
  const spec = { resume: ['--resume'], prompt: ['--prompt'], switches: ['-c'] }
  expect(parseCommandLine(spec, ['-x', '--resume'])).toEqual({ args: ['-x'] })
  expect(parseCommandLine(spec, ['--resume', '-x', '--prompt'])).toEqual({ args: ['-x'], prompt: '' })
  expect(parseCommandLine(spec, ['-c=1', '--'])).toEqual({ args: [] })
})
