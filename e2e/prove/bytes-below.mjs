import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of all files below a folder; links are not followed. @param {string} folder @returns {number} */
export function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? bytesBelow(path) : entry.isFile() ? lstatSync(path).size : 0)
  }, 0)
}
