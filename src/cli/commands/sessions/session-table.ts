import type { SessionRow } from '../../../catalog/session-row.ts'
import { tilde } from '../../../platform/home.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { roomOf } from '../../output-width.ts'
import { shownIds } from '../../short-id.ts'
import { type Column, table } from '../../table.ts'
import { ago, oneLine } from '../../text.ts'

/** Sessions as a table that fits. In a pipe the ids are whole, for whatever reads them there. */
export function sessionTable(rows: readonly SessionRow[], withPath: boolean, { io, out }: Context): string[] {
  const colours = palette(out)
  const shown = shownIds(
    rows.map((row) => row.id),
    out,
  )
  const columns: Column<SessionRow>[] = [
    { title: 'agent', value: (row) => row.agent, paint: colours.accent, dropOrder: 1 },
    { title: 'id', value: (row) => shown(row.id), paint: colours.faint },
    { title: 'age', value: (row) => ago(row.updated_at, io.now()), align: 'right' },
    { title: 'msgs', value: (row) => String(row.messages), align: 'right', dropOrder: 2 },
    { title: 'title', value: (row) => oneLine(row.title ?? '') || '-', shrinkTo: 16 },
    {
      title: 'path',
      value: (row) => oneLine(tilde(row.cwd ?? '-', io)),
      paint: colours.faint,
      shrinkTo: withPath ? 16 : 8,
      dropOrder: 3,
    },
  ]
  return table(columns, rows, roomOf({ io, out }), colours)
}
