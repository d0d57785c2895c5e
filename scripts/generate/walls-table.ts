// The table of allowed imports, for ARCHITECTURE.md.
import { code, table } from './markdown.ts'

type Walls = Readonly<Record<string, readonly string[]>>

/** `typeWalls`: the folders of which only types may be imported. */
export function wallsTable(walls: Walls, typeWalls: Walls): string {
  return table(
    ['folder', 'may import'],
    Object.entries(walls).map(([folder, allowed]) => {
      const types = (typeWalls[folder] ?? []).map((name) => `types of ${code(name)}`)
      return [code(folder), [...allowed.map(code), ...types].join(', ') || 'nothing']
    }),
  )
}
