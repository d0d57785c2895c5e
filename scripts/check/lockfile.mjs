// The lockfile names no host, so that it works with whatever registry the user has, and holds every platform.
import { readFileSync } from 'node:fs'
import { missingEntries } from '../complete-lockfile.mjs'

export async function lockfile() {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  const wrong = [
    ...Object.entries(lock.packages).flatMap(([place, { resolved }]) => (resolved ? [`${place}: ${resolved}`] : [])),
    ...Object.keys(missingEntries(lock)).map((place) => `${place} is missing`),
  ]
  return { wrong: wrong.length ? `${wrong.join('\n')}\nnode scripts/complete-lockfile.mjs mends it` : '' }
}
