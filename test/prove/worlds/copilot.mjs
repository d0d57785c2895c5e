import { KEY, makeWorld, trustedFolder } from './base.mjs'

/** @param {import('./base.mjs').Place} place */
export function world(place) {
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
