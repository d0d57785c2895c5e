import type { Checks } from '../checks.ts'
import { holds } from '../checks.ts'
import type { Scene } from '../scene.ts'

/** An agent whose turns are made by its vendor's service, which is not here: it must fail with a clear message, not hang. */
export async function unavailableService(scene: Scene, checks: Checks) {
  await checks.that('without its service: a clear message, and no hang', async () => {
    const { code, err } = await scene.ion(scene.runArgs(['--headless', 'hello']), { ms: 60_000 })
    holds(`it hung or ended well: exit ${code}`, code !== 0 && code !== null && !err.includes('(killed after'), err)
    holds('no reason', err.trim().split('\n').length >= 2, err)
  })
}
