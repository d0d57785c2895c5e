import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { livingProcess } from '../platform/process.ts'

const PREFIX = '.ion-restore-'

/** A path in the same folder with a name that agents ignore, for a file or folder that is not complete yet. */
export function stagingFile(folder: string): string {
  return join(folder, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`)
}

/** Removes what a killed restore left behind, including files of SQLite. */
export function removeStaleStaging(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
    if (pid > 0 && pid !== process.pid && !livingProcess(pid))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}
