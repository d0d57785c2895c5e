import { KEY, makeWorld, type Place, type ScreenStep, type World } from '../../../../test/prove/world.ts'

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

const [ENTER, INTERRUPT] = ['\r', '\x03']
/** The line above the input is drawn again only with the next one. */
const CLEAR_SCREEN = ['\x0c', ENTER]

/** Each at the top of the screen, as in a new conversation. */
export const screens: readonly ScreenStep[] = [
  { keys: CLEAR_SCREEN },
  { name: 'waiting', hang: true },
  { keys: [INTERRUPT, ...CLEAR_SCREEN] },
  {
    name: 'question-edit',
    say: 'I create it.\n\nsrc/cart.js\n```\n<<<<<<< SEARCH\n=======\nexport const total = 1\n>>>>>>> REPLACE\n```',
  },
  { keys: [`n${ENTER}`, ...CLEAR_SCREEN] },
  {
    name: 'question-several',
    say: 'Two.\n\n```bash\nmkdir -p build\n\ntouch build/one\n```\n\nand\n\n```bash\nls build\n```',
  },
  { keys: [`s${ENTER}`, ...CLEAR_SCREEN, '/add README.md', ENTER] },
  { name: 'files', say: 'noted' },
  { keys: CLEAR_SCREEN },
  // With `--no-pretty` it is `plain`.
  { name: 'quoted', say: '> quoted\n\nand more' },
]

const PRICES = {
  litellm_provider: 'openai',
  mode: 'chat',
  max_tokens: 16_384,
  max_input_tokens: 128_000,
  max_output_tokens: 16_384,
  input_cost_per_token: 0.0000025,
  output_cost_per_token: 0.00001,
}
