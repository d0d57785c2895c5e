import { KEY, makeWorld, type Place, trustedFolder, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: {
      COPILOT_PROVIDER_BASE_URL: `${place.modelUrl}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    },
    files: { '.copilot/config.json': { trustedFolders: [trustedFolder(place.project)] } },
    args: ['--allow-all-tools'],
  })
}
