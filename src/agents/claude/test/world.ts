import { KEY, makeWorld, type Place, trustedFolder, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: {
      ANTHROPIC_BASE_URL: place.modelUrl,
      ANTHROPIC_API_KEY: KEY,
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    files: {
      '.claude.json': {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [KEY], rejected: [] },
        projects: { [trustedFolder(place.project)]: { hasTrustDialogAccepted: true } },
      },
    },
    // With "=": the option takes a list and would swallow a prompt that follows it.
    args: ['--allowedTools=Bash,Read'],
    asking: { args: ['--permission-mode', 'default'] },
    withoutStoring: ['--no-session-persistence'],
  })
}
