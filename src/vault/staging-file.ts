import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { livingProcess } from '../platform/process.ts'

const STAGED = '.ion-restore-'

/** A name in the same folder that no agent looks at, for what is not whole yet. */
export function stagedIn(folder: string): string {
  return join(folder, `${STAGED}${process.pid}-${randomBytes(6).toString('hex')}`)
}

/** Removes what a restore that was killed has left, with all that SQLite put beside it. */
export function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(STAGED) ? Number(name.slice(STAGED.length).split('-')[0]) : 0
    if (pid > 0 && pid !== process.pid && !livingProcess(pid)) rmSync(join(folder, name), { force: true })
  }
}
