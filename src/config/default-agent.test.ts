import { expect, test } from 'vitest'
import { type Config, noConfig } from './config.ts'
import { agentAndPrompt } from './default-agent.ts'

const withDefault: Config = { ...noConfig, agent: 'goose' }

async function chosen(words: readonly string[], config = withDefault) {
  const [first, ...rest] = words
  const { agent, words: prompt } = await agentAndPrompt('run', first, rest, config)
  return [agent.id, ...prompt]
}

test.each<[words: string[], expected: string[]]>([
  [[], ['goose']],
  [['fix the test'], ['goose', 'fix the test']],
  [
    ['fix the test', 'now'],
    ['goose', 'fix the test', 'now'],
  ],
  [['-'], ['goose', '-']],
  [['why?'], ['goose', 'why?']],
  [['テストを直して'], ['goose', 'テストを直して']],
  [['codex crashes at start'], ['goose', 'codex crashes at start']],
  [
    ['codex', 'crashes', 'at', 'start'],
    ['codex', 'crashes', 'at', 'start'],
  ],
  [['openai-codex'], ['codex']],
  [
    ['Codex', 'fix it'],
    ['codex', 'fix it'],
  ],
])('with a default agent, ion run %j is %j', async (words, expected) => {
  expect(await chosen(words)).toEqual(expected)
})

test('a word that could be a name is never sent to the default agent', async () => {
  await expect(chosen(['codx', 'fix it'])).rejects.toMatchObject({
    kind: 'not-found',
    message: 'unknown agent "codx"',
    hint: expect.stringMatching(/^did you mean codex\? known: .*; if it is a prompt for goose: ion run "codx …"$/),
  })
  await expect(chosen(['continue'])).rejects.toMatchObject({
    message: 'unknown agent "continue"',
    hint: expect.stringMatching(/; if it is a prompt for goose: ion run goose continue$/),
  })
})

test('without a default agent, an agent must be named', async () => {
  const hint = 'ion run <agent> "what to do"; ion config set agent <agent> sets a default'
  await expect(chosen([], noConfig)).rejects.toMatchObject({ kind: 'usage', message: 'no agent is given', hint })
  await expect(chosen(['fix the test'], noConfig)).rejects.toMatchObject({
    kind: 'usage',
    message: 'no agent is named before the prompt',
    hint,
  })
  await expect(chosen(['codx'], noConfig)).rejects.toMatchObject({ hint: expect.not.stringContaining('prompt') })
})
