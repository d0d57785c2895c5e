import { type Installed, installAgent } from '../prove/install.ts'
import { agentapiBuild, type Unavailable } from '../prove/pins.ts'

/** The real agentapi, from the proof's cache or built into it. */
export function findAgentapi(withinMs: number): Promise<Installed | Unavailable> {
  const timeout = new Promise<Unavailable>((resolve) => {
    setTimeout(resolve, withinMs, { unavailable: 'its installation takes too long' }).unref()
  })
  return Promise.race([installAgent(agentapiBuild()), timeout])
}
