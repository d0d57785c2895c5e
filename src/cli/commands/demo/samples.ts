import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IonError } from '../../../platform/error.ts'

/** The day on which the samples' story ends: the demo runs as if it were then, so that ages look as they should. */
export const SAMPLES_NOW = '2026-11-15T18:00:00Z'

/** The session at which the demo looks more closely. */
export const FEATURED_TITLE = 'Customers get their refund twice'

/** The one file that only the samples have: the files' times, which neither git nor npm keeps. */
const TIMES = 'times.json'

/** The bundled samples: above this file, be it in `src/`, in a build or in an installed package. */
export function samplesFolder(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const samples = join(folder, 'samples')
    if (existsSync(join(samples, TIMES))) return samples
    if (dirname(folder) === folder) break
  }
  throw new IonError('failed', 'the sample sessions are not there', { hint: 'install Ion again' })
}

/** Copies the samples of all agents into one home. */
export function fillHome(home: string, samples: string = samplesFolder()): void {
  for (const entry of readdirSync(samples, { withFileTypes: true })) {
    if (entry.isDirectory()) cpSync(join(samples, entry.name), home, { recursive: true })
  }
  const times = JSON.parse(readFileSync(join(samples, TIMES), 'utf8')) as Record<string, string>
  for (const [path, time] of Object.entries(times)) {
    const file = join(home, path.slice(path.indexOf('/') + 1))
    // An installed package may be read-only.
    chmodSync(file, 0o600)
    utimesSync(file, new Date(time), new Date(time))
  }
}
