import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { IonError } from '../platform/error.ts'

/** Throws unless the path is a file that can be read. */
export function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new IonError('not-found', `file ${path} does not exist`, { hint: 'check the path' })
  if (found.isDirectory()) throw new IonError('usage', `${path} is a folder`, { hint: 'give a file, not a folder' })
}

/** Throws unless the folder of a file to write exists. */
export function requireParentFolder(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) {
    throw new IonError('not-found', `folder ${folder} does not exist`, { hint: `mkdir -p ${folder}` })
  }
}
