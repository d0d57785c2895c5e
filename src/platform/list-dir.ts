import { readdirSync, readFileSync } from 'node:fs'
import { isMissing } from './error.ts'

/** Names in a folder; none if it does not exist. */
export function listNames(folder: string): string[] {
  return orNothing(() => readdirSync(folder))
}

/** Names in a folder; none if it cannot be listed, for whatever reason. */
export function tryListNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Lines of a file; none if it does not exist. The last one is what follows the last line break. */
export function linesOf(file: string): string[] {
  return orNothing(() => readFileSync(file, 'utf8').split('\n'))
}

function orNothing(read: () => string[]): string[] {
  try {
    return read()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
