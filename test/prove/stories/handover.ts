import { findAgent } from '../../../src/agents/find.ts'
import { readMatrix, resultOf, worseThan } from '../../handover/matrix.ts'
import { measure, placeIn } from '../../handover/pair.ts'
import { allSources, RICH, type Source } from '../../handover/sources.ts'
import { type Checks, holds } from '../checks.ts'
import { builds, versionsToProve } from '../pins.ts'
import type { Scene, Subject } from '../scene.ts'

/** Whether sessions are written for this agent, and it answers here. */
export function isTarget({ agent, service }: Pick<Subject, 'agent' | 'service'>): boolean {
  const { writer } = findAgent(agent)
  return writer !== undefined && !writer.isExperimental && service !== false
}

/**
 * The part of the matrix for which CI has time: over all targets each source is handed over once. The whole of it is
 * `npm run prove -- handover`.
 */
export async function handover(scene: Scene, checks: Checks): Promise<void> {
  const { name, version } = scene.subject
  const body = async (): Promise<void> => {
    const recorded = readMatrix().cells.filter((cell) => cell.target === name && cell.version === version)
    for (const source of await sourcesFor(scene.subject)) {
      const [session] = await placeIn(scene, source, [RICH])
      const measured = await measure(scene, source, session!, { auto: true })
      const before = recorded.find((cell) => cell.source === source.agent.id)
      const worse = worseThan(before?.sessions[session!.name], resultOf(measured))
      holds(`from ${source.agent.id}: ${worse}`, worse === undefined)
    }
  }
  await checks.that('handed over from another agent: the model receives what the matrix says', body, {
    turnsOnly: true,
  })
}

/** A ring: each source goes to the target after its own place, so that nothing is handed over to itself if there are several. */
async function sourcesFor({ name, version }: Subject): Promise<Source[]> {
  const targets = builds()
    .filter(({ agent, pin }) => !('unavailable' in pin) && isTarget({ agent, ...pin }))
    .flatMap((build) => versionsToProve(build).map((one) => `${build.name} ${one}`))
  const own = targets.indexOf(`${name} ${version}`)
  const sources = await allSources()
  const chosen = sources.filter((_, place) => (place + 1) % targets.length === own)
  // A version that is not pinned, or more targets than sources.
  return chosen.length > 0 ? chosen : sources.slice(0, 1)
}
