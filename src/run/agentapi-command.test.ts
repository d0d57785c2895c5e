import { expect, test } from 'vitest'
import { servedAgent } from './agentapi-command.ts'

/** As the start scripts of Coder's registry call agentapi. */
test.each([
  [
    undefined,
    ['bash', '-c', 'goose run --interactive --instructions /m/prompt.txt '],
    'goose',
    [],
    undefined,
    '/m/prompt.txt',
  ],
  [undefined, ['bash', '-c', '/opt/bin/goose '], 'goose', [], undefined, undefined],
  ['amp', ['bash', '-c', 'echo "fix it" | amp', '--mode', 'smart'], 'amp', [], 'fix it', undefined],
  ['amp', ['amp', '--mode', 'smart'], 'amp', ['--mode', 'smart'], undefined, undefined],
  ['cursor', ['/opt/cursor-agent', '-f', 'fix it'], 'cursor', ['-f'], 'fix it', undefined],
  [undefined, ['auggie', '--instruction', 'fix it', '--workspace-root', '/w'], 'auggie', [], 'fix it', undefined],
  ['copilot', ['copilot', '--continue', '--allow-all-tools'], 'copilot', ['--allow-all-tools'], undefined, undefined],
  ['opencode', ['opencode', '--session', 'ses_1'], 'opencode', [], undefined, undefined],
  ['aider', ['aider', '--model', 'm', '--yes-always'], 'aider', ['--model', 'm', '--yes-always'], undefined, undefined],
  [undefined, ['kiro-cli', 'chat', '--trust-all-tools', 'fix it'], 'kiro', ['--trust-all-tools'], 'fix it', undefined],
  ['custom', ['codex', 'fix it'], 'codex', [], 'fix it', undefined],
])('--type %s -- %j', (type, words, id, args, prompt, promptFile) => {
  const { agent, ...rest } = servedAgent(undefined, type, words)
  expect({ prompt: undefined, promptFile: undefined, ...rest, agent: agent.id }).toEqual({
    agent: id,
    args,
    prompt,
    promptFile,
    asAgentapi: true,
  })
})

test('arguments for a named agent are passed as they are; without a program they are those of last time', () => {
  expect(servedAgent('goose', undefined, ['run'])).toMatchObject({ args: ['run'], asAgentapi: false })
  expect(servedAgent(undefined, 'claude', undefined)).toMatchObject({ agent: { id: 'claude' }, args: undefined })
})

test.each([
  [undefined, [], 'no agent is given'],
  [undefined, ['vim', 'x'], '"vim" is not an agent that Ion knows'],
  [
    'claude',
    ['bash', '-c', 'cd x && claude'],
    'the script does more than start an agent, so Ion cannot tell what to start',
  ],
])('--type %s -- %j is refused', (type, words, message) => {
  expect(() => servedAgent(undefined, type, words)).toThrow(expect.objectContaining({ kind: 'usage', message }))
})
