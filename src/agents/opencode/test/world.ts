import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: { '.config/opencode/opencode.json': config(place.modelUrl) },
    // Tools run without asking by default.
  })
}

/** Without a named model it would take a hosted one and wait for the network. */
function config(modelUrl: string) {
  const limit = { context: 200_000, output: 8_000 }
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
        models: { 'stub-model': { name: 'Stub', tool_call: true, reasoning: true, limit } },
      },
    },
  }
}
