// The table of allowed imports, for ARCHITECTURE.md.
import { code, table } from './markdown.mjs'

/** `typeWalls`: of which folders only types may be imported. */
export function wallsTable(walls, typeWalls) {
  return table(
    ['folder', 'may import'],
    Object.entries(walls).map(([folder, allowed]) => {
      const types = (typeWalls[folder] ?? []).map((name) => `types of ${code(name)}`)
      return [code(folder), [...allowed.map(code), ...types].join(', ') || 'nothing']
    }),
  )
}
