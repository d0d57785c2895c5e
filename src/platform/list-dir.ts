import { readdirSync, readFileSync } from 'node:fs'
import { isMissing } from './error.ts'

/** Names in a folder; none when it is not there. */
export function listNames(folder: string): string[] {
  return orNothing(() => readdirSync(folder))
}

/** Lines of a file; none when it is not there. The last one is what stands after the last line break. */
export function linesOf(file: string): string[] {
  return orNothing(() => readFileSync(file, 'utf8').split('\n'))
}

function orNothing(look: () => string[]): string[] {
  try {
    return look()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
