// The lockfile names no host, so that it works with any registry, and has the packages of every platform.
import { readFileSync } from 'node:fs'
import { type Lockfile, missingEntries } from '../complete-lockfile.ts'
import type { StepResult } from './step.ts'

export async function lockfile(): Promise<StepResult> {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as Lockfile
  const wrong = [
    ...Object.entries(lock.packages).flatMap(([place, { resolved }]) => (resolved ? [`${place}: ${resolved}`] : [])),
    ...Object.keys(missingEntries(lock)).map((place) => `${place} is missing`),
  ]
  return { wrong: wrong.length ? `${wrong.join('\n')}\nfix it: npm run lockfile` : '' }
}
