import { tmpdir } from 'node:os'
import { cacheFolder } from '../prove/cache-folder.mjs'
import { installAgent } from '../prove/install.mjs'

/**
 * The real agentapi, from the cache of the proof or built into it. Not in the scratch folders of a test run: it takes a
 * minute to build.
 * @param {number} withinMs
 * @returns {Promise<{ program: string } | { unavailable: string }>}
 */
export function findAgentapi(withinMs) {
  const cache = process.env.ION_PROVE_CACHE ?? cacheFolder({}, tmpdir())
  /** @type {Promise<{ unavailable: string }>} */
  const late = new Promise((resolve) => {
    setTimeout(resolve, withinMs, { unavailable: 'its installation takes too long' }).unref()
  })
  return Promise.race([installAgent('agentapi', { cache }), late])
}
