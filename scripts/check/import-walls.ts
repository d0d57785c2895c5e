// The same check as test/repository/import-walls.test.ts.
import { fileURLToPath } from 'node:url'
import { agents } from '../../src/agents/_registry.ts'
import { brokenWalls, namesOf } from '../../test/repository/import-walls.ts'
import { sourceFiles } from '../../test/repository/source-findings.ts'
import type { StepResult } from './step.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

export async function importWalls(): Promise<StepResult> {
  const broken = brokenWalls(sourceFiles(src), namesOf(agents))
  return { wrong: broken.length ? `${broken.join('\n')}\nthe table of what is allowed: ARCHITECTURE.md` : '' }
}
