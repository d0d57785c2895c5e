import {
  KEY,
  makeWorld,
  type Place,
  type RecordedCommands,
  type ScreenStep,
  type World,
} from '../../../../test/prove/world.ts'

/** Pi asks nothing before it runs a tool, but extensions may. */
const ASKING = `export default (pi) => pi.on('tool_call', async ({ toolName, input }, { ui }) => {
  if (!process.env.ASKING) return undefined
  const isAllowed = {
    bash: async () => (await ui.select('Run this command?\\n\\n  ' + input.command, ['Yes', 'No'])) === 'Yes',
    write: () => ui.confirm('Write a file', 'Is it all right to write ' + input.path + '?'),
    edit: () => ui.input('Why should it be changed?'),
  }[toolName]
  return !isAllowed || (await isAllowed()) ? undefined : { block: true, reason: 'not allowed' }
})
`

export default function world(place: Place): World {
  return makeWorld(place, {
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    files: {
      '.pi/agent/settings.json': {
        defaultProvider: 'stub',
        defaultModel: 'stub-model',
        defaultProjectTrust: 'always',
        enableInstallTelemetry: false,
        quietStartup: true,
      },
      '.pi/agent/models.json': {
        providers: {
          stub: {
            baseUrl: `${place.modelUrl}/v1`,
            api: 'openai-completions',
            apiKey: KEY,
            models: [{ id: 'stub-model', input: ['text', 'image'] }],
          },
        },
      },
      '.pi/agent/extensions/asking.ts': ASKING,
    },
    asking: { env: { ASKING: '1' } },
  })
}

const [ESCAPE, ENTER] = ['\x1b', '\r']

export const screens: readonly ScreenStep[] = [
  { name: 'question-confirm', call: { name: 'write', input: { path: 'new.txt', content: 'new' } } },
  { keys: [ESCAPE] },
  {
    name: 'question-field',
    call: { name: 'edit', input: { path: 'README.md', edits: [{ oldText: '# shop', newText: '# Shop' }] } },
  },
  { keys: [ESCAPE] },
  { name: 'thinking', keys: ['THINK about it', ENTER] },
  { name: 'menu-settings', keys: ['/settings', ENTER] },
  { keys: [ESCAPE] },
  { name: 'menu-model', keys: ['/model', ENTER] },
  { keys: [ESCAPE] },
  { name: 'menu-tree', keys: ['/tree', ENTER] },
  { keys: [ESCAPE] },
  { name: 'menu-trust', keys: ['/trust', ENTER] },
  { keys: [ESCAPE] },
]

export const commands: RecordedCommands = {
  run: (prompt) => ['-p', '--', prompt],
  resume: (prompt) => ['--continue', '-p', '--', prompt],
  terminal: [],
}
