import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { IonError, isMissing } from '../platform/error.ts'

/**
 * Throws `refused` when links lead from the path out of the folder. The folder itself may be a link. The path need not
 * exist: then what exists of it counts, since the rest would be created there.
 */
export function requireInside(path: string, folder: string): void {
  const [real, within] = [realPathOf(path), realPathOf(folder)]
  if (real === within || real.startsWith(within.endsWith(sep) ? within : within + sep)) return
  throw leadsOut(path, folder, real)
}

function leadsOut(path: string, folder: string, to: string): IonError {
  return new IonError('refused', `${path} leads out of ${folder}, to ${to}: Ion does not follow such a link`, {
    hint: 'replace the link by the file or folder itself',
  })
}

/** With all links resolved, as far as the path exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isMissing(error)) throw error
    // Whoever creates its target decides where that is.
    if (isLink(path)) throw leadsOut(path, dirname(path), 'a target that does not exist')
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}

/** False when nothing is there. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
