import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

/** Retention keeps its default: the proof includes that Ion protects sessions from it. */
export default function world(place: Place): World {
  return makeWorld(place, {
    env: { GOOGLE_GEMINI_BASE_URL: place.modelUrl, GEMINI_API_KEY: KEY },
    files: {
      '.gemini/settings.json': {
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ui: { theme: 'Default', hideTips: true, hideBanner: true },
      },
    },
    args: ['--yolo'],
  })
}
