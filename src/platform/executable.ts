import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Io } from './io.ts'

/** The first of `names` on the user's PATH, or undefined. An absolute path is itself, if it can be run. Starts nothing. */
export function findExecutable(names: readonly string[], io: Io): string | undefined {
  const given = names.find((name) => isAbsolute(name) && isExecutable(name))
  if (given !== undefined) return given
  const endings = io.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  for (const dir of (io.env.PATH ?? '').split(delimiter)) {
    if (!dir) continue
    for (const name of names) {
      for (const ending of endings) {
        const file = join(dir, name + ending)
        if (isExecutable(file)) return file
      }
    }
  }
  return undefined
}

function isExecutable(file: string): boolean {
  try {
    // Most do not exist, and an exception takes longer than the call.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
