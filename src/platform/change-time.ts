import type { Stats } from 'node:fs'

/** When a folder's entries last changed; of a file, also when its permissions did: it may have been unreadable. */
export function changeTime(stat: Stats): number {
  return stat.isDirectory() ? stat.mtimeMs : stat.ctimeMs
}
