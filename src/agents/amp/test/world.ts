import { KEY, makeWorld, type Place, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: { AMP_URL: place.modelUrl, AMP_API_KEY: KEY, AMP_SKIP_UPDATE_CHECK: '1' },
    args: ['--dangerously-allow-all'],
  })
}
