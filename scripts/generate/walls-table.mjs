// The table of allowed imports, for ARCHITECTURE.md.
import { code, table } from './markdown.mjs'

export function wallsTable(walls) {
  return table(
    ['folder', 'may import'],
    Object.entries(walls).map(([folder, allowed]) => [code(folder), allowed.map(code).join(', ') || 'nothing']),
  )
}
