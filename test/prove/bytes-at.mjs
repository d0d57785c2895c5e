import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of a file, or of all files below a folder; 0 for what is not there. Links are not followed. @param {string} path @returns {number} */
export function bytesAt(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0
  return readdirSync(path).reduce((sum, name) => sum + bytesAt(join(path, name)), 0)
}
