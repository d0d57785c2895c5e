// The same judgement as test/repository/import-walls.test.ts.
import { fileURLToPath } from 'node:url'
import { loadSource } from '../load-source.mjs'

const src = fileURLToPath(new URL('../../src', import.meta.url))

export async function importWalls() {
  const { walls, findings, registry } = await loadSource({
    walls: 'test/repository/import-walls.ts',
    findings: 'test/repository/source-findings.ts',
    registry: 'src/agents/_registry.ts',
  })
  const broken = walls.brokenWalls(findings.sourceFiles(src), walls.namesOf(registry.agents))
  return { wrong: broken.length ? `${broken.join('\n')}\nthe table of what is allowed: ARCHITECTURE.md` : '' }
}
