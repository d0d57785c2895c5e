import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { IonError } from '../platform/error.ts'

/** Refuses a path that was given as a file to read, and is none. */
export function refuseNoFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new IonError('not-found', `there is no file ${path}`, { hint: 'check the path' })
  if (found.isDirectory()) throw new IonError('usage', `${path} is a folder`, { hint: 'give a file in it' })
}

/** Refuses a file to write for which there is no folder. */
export function refuseNoFolder(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) {
    throw new IonError('not-found', `there is no folder ${folder}`, { hint: `mkdir -p ${folder}` })
  }
}
