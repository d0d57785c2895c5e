import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const IMPORT = /^(?:import|export)\s(?!type\b)[^'"]*?from '(\.[^']+)'/gms

/** These files and all that they import at once, directly or not: not what they import when it is needed, nor types. */
export function staticImports(files: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) add(resolve(dirname(file), path!))
  }
  for (const file of files) add(resolve(file))
  return found
}
