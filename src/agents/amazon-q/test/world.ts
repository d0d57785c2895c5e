import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    // With a signature instead of a login token, which would be in the same database as the conversations.
    env: {
      AMAZON_Q_SIGV4: '1',
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
      AWS_EC2_METADATA_DISABLED: 'true',
      Q_DISABLE_TELEMETRY: '1',
    },
    files: {
      '.local/share/amazon-q/settings.json': {
        'api.codewhisperer.service': { endpoint: place.modelUrl, region: 'us-east-1' },
        'telemetry.enabled': false,
        'chat.greeting.enabled': false,
      },
    },
    args: ['--trust-all-tools'],
  })
}
