import { expect, test } from 'vitest'
import { type ServedAgent, servedAgent } from './agentapi-command.ts'

type Expected = Partial<Omit<ServedAgent, 'agent'>> & { readonly agent: string }

/** As the start scripts of Coder's registry call agentapi, and a few others. */
test.each<[string | undefined, string[], Expected]>([
  [
    undefined,
    ['bash', '-c', 'goose run --interactive --instructions /m/prompt.txt '],
    { agent: 'goose', promptFile: '/m/prompt.txt' },
  ],
  [undefined, ['bash', '-c', '/opt/bin/goose '], { agent: 'goose', folder: '/opt/bin' }],
  [
    undefined,
    ['bash', '-c', "gemini --prompt-interactive $'don\\'t \"x\" $HOME\\nnext' --yolo "],
    { agent: 'gemini', args: ['--yolo'], prompt: 'don\'t "x" $HOME\nnext' },
  ],
  ['amp', ['bash', '-c', 'echo "fix it" | amp', '--mode', 'smart'], { agent: 'amp', prompt: 'fix it' }],
  ['amp', ['amp', '--mode', 'smart'], { agent: 'amp', args: ['--mode', 'smart'] }],
  [
    'cursor',
    ['/opt/cursor-agent', '--model', 'm', '-f', 'fix it'],
    { agent: 'cursor', folder: '/opt', args: ['--model', 'm', '-f'], prompt: 'fix it' },
  ],
  [undefined, ['auggie', '--instruction', 'fix it', '--workspace-root', '/w'], { agent: 'auggie', prompt: 'fix it' }],
  ['copilot', ['copilot', '--continue', '--allow-all-tools'], { agent: 'copilot', args: ['--allow-all-tools'] }],
  ['opencode', ['opencode', '--session', 'ses_1'], { agent: 'opencode', resumes: 'ses_1' }],
  ['aider', ['aider', '--model', 'm', '--yes-always'], { agent: 'aider', args: ['--model', 'm', '--yes-always'] }],
  [
    undefined,
    ['kiro-cli', 'chat', '--trust-all-tools', 'fix it'],
    { agent: 'kiro', args: ['--trust-all-tools'], prompt: 'fix it' },
  ],
  [
    undefined,
    ['q', 'chat', '--trust-all-tools', 'fix it'],
    { agent: 'amazon-q', args: ['--trust-all-tools'], prompt: 'fix it' },
  ],
  [
    'codex',
    ['codex', '--model', 'm', 'resume', '0199-1'],
    { agent: 'codex', args: ['--model', 'm'], resumes: '0199-1' },
  ],
  [
    'claude',
    ['claude', '--permission-mode', 'plan', '--session-id', 'cd1', '--dangerously-skip-permissions', '--', 'fix it'],
    { agent: 'claude', args: ['--permission-mode', 'plan', '--dangerously-skip-permissions'], prompt: 'fix it' },
  ],
  ['custom', ['codex', 'fix it'], { agent: 'codex', prompt: 'fix it' }],
  ['claude', ['codex', 'fix it'], { agent: 'codex', prompt: 'fix it' }],
  [undefined, ['env', 'A=1', 'B=2 3', 'goose'], { agent: 'goose', variables: { A: '1', B: '2 3' } }],
  [undefined, ['sh', '-c', "A='x y' exec ./goose"], { agent: 'goose', folder: '.', variables: { A: 'x y' } }],
])('--type %s -- %j', (type, words, expected) => {
  const { agent, ...rest } = servedAgent(undefined, type, words)
  expect({ ...rest, agent: agent.id }).toEqual({ args: [], variables: {}, asAgentapi: true, ...expected })
})

test('arguments for a named agent are passed as they are; without a program they are those of last time', () => {
  expect(servedAgent('goose', undefined, ['run'])).toMatchObject({ args: ['run'], asAgentapi: false })
  expect(servedAgent(undefined, 'claude', undefined)).toMatchObject({ agent: { id: 'claude' }, args: undefined })
})

const shell = 'Ion cannot tell what this script starts: it needs a shell to run it'

test.each([
  [undefined, [], 'no agent is given'],
  ['custom', [], 'no agent is given'],
  [undefined, ['vim', 'x'], '"vim" is not an agent that Ion knows'],
  ['claude', ['my-claude', '--model', 'x'], '"my-claude" is not an agent that Ion knows'],
  ['claude', ['bash', '-c', 'cd x && claude'], shell],
  ['amp', ['bash', '-c', 'echo "fix `parse`" | amp'], shell],
  // A sandbox of the registry's modules, which must not be left out.
  [
    'claude',
    ['/opt/coder-no-caps', 'boundary', '--', 'claude', '--', 'fix it'],
    '"/opt/coder-no-caps" would start claude, but Ion starts agents directly',
  ],
  [
    'codex',
    ['/m/boundary-wrapper.sh', 'codex', 'resume', '0199-1'],
    '"/m/boundary-wrapper.sh" would start codex, but Ion starts agents directly',
  ],
])('--type %s -- %j is refused', (type, words, message) => {
  expect(() => servedAgent(undefined, type, words)).toThrow(expect.objectContaining({ kind: 'usage', message }))
})
