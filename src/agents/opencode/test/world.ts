import { KEY, makeWorld, type Place, type ScreenStep, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: { '.config/opencode/opencode.json': config(place.modelUrl) },
    // Tools run without asking by default.
    asking: { env: { OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask', edit: 'ask' }) } },
  })
}

const [ESCAPE, ENTER, UP, RIGHT, TAB] = ['\x1b', '\r', '\x1b[A', '\x1b[C', '\t']
const [DELETE_LINE, BACKSPACE, FULL_SCREEN, COMMANDS] = ['\x15', '\x7f', '\x06', '\x10']

const options = [
  { label: 'Blue', description: 'The colour of the sea' },
  { label: 'Green', description: 'The colour of the forest' },
]

export const screens: readonly ScreenStep[] = [
  {
    name: 'question-edit',
    call: { name: 'edit', input: { filePath: 'README.md', oldString: '# shop', newString: '# Shop\n\nSells things.' } },
  },
  { name: 'question-edit-full-screen', keys: [FULL_SCREEN] },
  { name: 'question-edit-reject', keys: [FULL_SCREEN, RIGHT, RIGHT] },
  { keys: [ENTER] },
  { name: 'question-write', call: { name: 'write', input: { filePath: 'new.txt', content: 'new\n' } } },
  { name: 'question-always', keys: [RIGHT, ENTER] },
  { keys: [ESCAPE, ESCAPE] },
  {
    name: 'question-tool',
    call: { name: 'question', input: { questions: [{ question: 'Which colour?', header: 'Colour', options }] } },
  },
  { name: 'question-tool-own-answer', keys: [UP, ENTER] },
  { keys: [ESCAPE, ESCAPE] },
  {
    name: 'question-tool-two',
    call: {
      name: 'question',
      input: {
        questions: [
          { question: 'Which colours?', header: 'Colours', options, multiple: true },
          { question: 'Which colour first?', header: 'First', options },
        ],
      },
    },
  },
  { name: 'question-tool-toggled', keys: [ENTER] },
  { name: 'question-tool-second', keys: [TAB] },
  { name: 'question-tool-review', keys: [ENTER] },
  { keys: [ENTER] },
  { name: 'thinking', keys: ['THINK about it', ENTER] },
  {
    name: 'question-subagent',
    call: {
      name: 'task',
      input: { description: 'Make a file', prompt: 'ASKSHELL please', subagent_type: 'general' },
    },
  },
  { name: 'question-subagent-reject', keys: [RIGHT, RIGHT, ENTER] },
  { name: 'subagent', keys: [ENTER] },
  { name: 'dialog', keys: [COMMANDS] },
  { keys: [ESCAPE] },
  { name: 'shell-mode', keys: ['!'] },
  { name: 'shell-mode-typed', keys: ['ls'] },
  { keys: [DELETE_LINE, BACKSPACE] },
  { name: 'completion', keys: ['see @READ'] },
  { keys: [DELETE_LINE] },
  { name: 'wide', columns: 160 },
  { name: 'question-wide', call: { name: 'bash', input: { command: 'echo wide', description: 'Say wide' } } },
  { name: 'question-narrow', columns: 70 },
  { name: 'narrow', keys: [ESCAPE] },
]

/** Without a named model it would take a hosted one and wait for the network. */
function config(modelUrl: string) {
  const limit = { context: 200_000, output: 8_000 }
  const modalities = { input: ['text', 'image'], output: ['text'] }
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'stub/stub-model',
    small_model: 'stub/stub-model',
    enabled_providers: ['stub'],
    provider: {
      stub: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Stub',
        options: { baseURL: `${modelUrl}/v1`, apiKey: KEY },
        models: {
          'stub-model': { name: 'Stub', tool_call: true, reasoning: true, attachment: true, modalities, limit },
        },
      },
    },
  }
}
