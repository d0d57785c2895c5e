import { KEY, makeWorld, type Place, type RecordedCommands, type World } from '../../../../test/prove/world.ts'

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
            models: [{ id: 'stub-model' }],
          },
        },
      },
    },
  })
}

export const commands: RecordedCommands = {
  run: (prompt) => ['-p', '--', prompt],
  resume: (prompt) => ['--continue', '-p', '--', prompt],
  terminal: [],
}
