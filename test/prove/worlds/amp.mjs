import { KEY, makeWorld } from './base.mjs'

/** @param {import('./base.mjs').Place} place */
export function world(place) {
  return makeWorld(place, {
    env: { AMP_URL: place.modelUrl, AMP_API_KEY: KEY, AMP_SKIP_UPDATE_CHECK: '1' },
    args: ['--dangerously-allow-all'],
  })
}
