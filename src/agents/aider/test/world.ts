import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: {
      OPENAI_API_BASE: `${place.modelUrl}/v1`,
      OPENAI_API_KEY: KEY,
      AIDER_MODEL: 'openai/gpt-4o',
      AIDER_ANALYTICS_DISABLE: 'true',
      AIDER_CHECK_UPDATE: 'false',
      AIDER_SHOW_RELEASE_NOTES: 'false',
      AIDER_SHOW_MODEL_WARNINGS: 'false',
      // The same for its model library.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    // A young price list, or it fetches one from the network.
    files: { '.aider/caches/model_prices_and_context_window.json': { 'gpt-4o': PRICES, 'gpt-4o-mini': PRICES } },
    args: ['--yes-always', '--no-gitignore'],
    asking: { args: ['--no-gitignore'] },
  })
}

const PRICES = {
  litellm_provider: 'openai',
  mode: 'chat',
  max_tokens: 16_384,
  max_input_tokens: 128_000,
  max_output_tokens: 16_384,
  input_cost_per_token: 0.0000025,
  output_cost_per_token: 0.00001,
}
