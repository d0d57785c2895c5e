import { expect, test } from 'vitest'
import { answerExtra, answerTurn } from './script.ts'
import { message } from './testing.ts'
import { type JsonSchema, shellCall, type Tool } from './tools.ts'

const bash = { name: 'bash', schema: { properties: { command: { type: 'string' } } } }

function answer(script: object[], prompt: string, results: string[] = [], more: object = {}) {
  const rounds = results.flatMap((text) => [
    message('assistant', '', { calls: [{ id: 'c', name: 'bash', input: {} }] }),
    message('tool', '', { results: [{ id: 'c', text, isError: false }] }),
  ])
  const messages = [message('user', prompt), ...rounds]
  const request = { model: 'm', stream: true, system: '', messages, tools: [bash], ...more }
  return answerTurn(script, request, { prompt, world: 'w-a' })
}
const call = (command: string) => ({ call: { name: 'bash', input: { command } } })

test('without a script the words of the prompt decide', () => {
  expect(answer([], 'run a TOOL now')).toEqual(call('echo tool-ran'))
  expect(answer([], 'run a TOOL now', [' a\n b '])).toEqual({ say: 'tool said: a b' })
  expect(answer([], 'SLOWTOOL')).toEqual(call('echo started && sleep 30'))
  expect(answer([], 'HANG')).toEqual({ say: 'partial', hang: true })
  expect(answer([], 'FAIL')).toEqual({ fail: 400, message: 'stub error 400' })
  expect(answer([], 'THINK')).toEqual({ think: 'thinking about it', say: 'thought it through' })
  expect(answer([], 'TOOLS and hanging')).toEqual({ say: 'answer 1 to: TOOLS and hanging' })
  expect(answer([], `${'é'.repeat(39)}🙂rest`)).toEqual({ say: `answer 1 to: ${'é'.repeat(39)}🙂` })
  expect(answer([], 'TOOL', [], { tools: [] })).toEqual({
    say: 'no shell tool was offered\n\n```bash\necho tool-ran\n```',
  })
})

test('steps without a condition are used in order, once; then the rules hold again', () => {
  const script = [{ say: 'one' }, { call: { name: 'read', input: { path: 'a' } } }]
  expect(answer(script, 'TOOL')).toEqual({ say: 'one' })
  expect(answer(script, 'TOOL')).toEqual({ call: { name: 'read', input: { path: 'a' } } })
  expect(answer(script, 'TOOL')).toEqual(call('echo tool-ran'))
  expect(script).toEqual([])
})

test('a step with a condition answers every prompt that has it, and continues with `next` after each tool', () => {
  const script = [
    { when: '/ls+$/i', call: { shell: 'ls' }, next: { call: { shell: 'pwd' }, next: { say: 'done' } } },
    { when: 'only here', world: 'w-b', say: 'no' },
  ]
  expect(answer(script, 'run LS')).toEqual(call('ls'))
  expect(answer(script, 'run LS', ['x'])).toEqual(call('pwd'))
  expect(answer(script, 'run LS', ['x', 'y'])).toEqual({ say: 'done' })
  expect(answer(script, 'run LS')).toEqual(call('ls'))
  expect(answer(script, 'only here')).toEqual({ say: 'answer 1 to: only here' })
})

test('the shell is found by any of its names, and gets what its schema asks for', () => {
  const tools = (name: string, properties: Record<string, JsonSchema>, required: string[]): Tool[] => [
    { name: 'other' },
    { name, schema: { properties, required } },
  ]
  const list = { command: { type: 'array' } }
  expect(shellCall(tools('shell', list, ['command']), 'ls')).toEqual({
    name: 'shell',
    input: { command: ['bash', '-lc', 'ls'] },
  })
  const described = { cmd: { type: 'string' }, description: { type: 'string' }, mode: { enum: ['sync', 'async'] } }
  expect(shellCall(tools('Bash', described, ['cmd', 'mode']), 'ls')).toEqual({
    name: 'Bash',
    input: { cmd: 'ls', description: 'Run a command', mode: 'sync' },
  })
  expect(shellCall([{ name: 'other' }], 'ls')).toBe(undefined)
})

test('extra requests get the smallest thing of the form they want', () => {
  const request = { model: 'm', stream: false, system: '', messages: [], tools: [bash] }
  expect(answerExtra(request)).toEqual({ say: 'Stub title' })
  const answerSchema = {
    type: 'object',
    properties: { list: { type: 'array' }, score: { type: 'integer' }, ok: { type: 'boolean' }, other: {} },
    required: ['list', 'score', 'ok'],
  }
  expect(answerExtra({ ...request, answerSchema })).toEqual({ say: '{"list":[],"score":60,"ok":true}' })
  expect(answerExtra({ ...request, forcedTool: 'bash' })).toEqual({ call: { name: 'bash', input: {} } })
})
