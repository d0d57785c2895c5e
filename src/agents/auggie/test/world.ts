import { dirname } from 'node:path'
import { KEY, makeWorld, type Place, trustedFolder, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  const session = { accessToken: KEY, tenantURL: `${place.modelUrl}/`, scopes: ['read', 'write'] }
  return makeWorld(place, {
    env: { AUGMENT_SESSION_AUTH: JSON.stringify(session), AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    asking: { args: ['--permission', 'launch-process:ask-user'] },
    files: {
      // Asks no question, and uploads no index; also of a project that is renamed.
      '.augment/settings.json': { indexingDenyDirs: [dirname(trustedFolder(place.project))] },
      // Skips the welcome pages.
      '.augment/.auggie.json': { onboardingVersion: '1.0.0' },
    },
  })
}
