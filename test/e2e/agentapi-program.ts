import { tmpdir } from 'node:os'
import { cacheFolder } from '../prove/cache-folder.ts'
import { type Installed, installAgent } from '../prove/install.ts'
import { agentapiBuild, type Unavailable } from '../prove/pins.ts'

/**
 * The real agentapi, from the proof's cache or built into it. Not in the scratch folders of a test run: it takes a minute
 * to build.
 */
export function findAgentapi(withinMs: number): Promise<Installed | Unavailable> {
  const cache = process.env.ION_PROVE_CACHE ?? cacheFolder({}, tmpdir())
  const timeout = new Promise<Unavailable>((resolve) => {
    setTimeout(resolve, withinMs, { unavailable: 'its installation takes too long' }).unref()
  })
  return Promise.race([installAgent(agentapiBuild(), { cache }), timeout])
}
