import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  const { origin, pathname } = new URL(place.modelUrl)
  return makeWorld(place, {
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'gpt-4o',
      OPENAI_HOST: origin,
      OPENAI_BASE_PATH: `${pathname}/v1/chat/completions`.replace(/^\/+/, ''),
      OPENAI_API_KEY: KEY,
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_ENABLED: 'false',
      GOOSE_MODE: 'auto',
    },
    asking: { env: { GOOSE_MODE: 'approve' } },
  })
}
