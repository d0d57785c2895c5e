import { dirname } from 'node:path'

/** A folder and all folders above it. */
export function ancestors(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}
