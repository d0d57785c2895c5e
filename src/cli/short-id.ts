import type { Catalog } from '../catalog/catalog.ts'
import type { Identified } from '../catalog/short-id.ts'
import type { Terminal } from './terminal.ts'

/** How the id of a row is shown: as short as is unique in a terminal, in full in a pipe. */
export function shownIds(
  rows: readonly Identified[],
  catalog: Pick<Catalog, 'shortIds'>,
  { isTTY }: Pick<Terminal, 'isTTY'>,
): (row: Identified) => string {
  return isTTY ? catalog.shortIds(rows) : ({ id }) => id
}
