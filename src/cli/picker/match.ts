import { go, type SnapshotKeys, snapshot } from 'fuzzysort'
import type { SessionRow } from '../../catalog/session-row.ts'

/** What a row is found by; the folder by its last parts, which are the ones people remember. */
const keys = [
  (row: SessionRow) => row.title ?? '',
  (row: SessionRow) => row.cwd?.split('/').slice(-3).join('/') ?? '',
  (row: SessionRow) => row.agent,
  (row: SessionRow) => row.id,
]

const snapshots = new WeakMap<readonly SessionRow[], SnapshotKeys<SessionRow>>()

/** Rows whose title, folder, agent or id is like the query, the best first; of equally good ones the newest. */
export function matchRows(rows: readonly SessionRow[], query: string): readonly SessionRow[] {
  const wanted = query.trim()
  if (wanted === '') return rows
  let prepared = snapshots.get(rows)
  if (!prepared) snapshots.set(rows, (prepared = snapshot(rows, { keys })))
  const order = new Map<SessionRow, number>()
  const found = go(wanted, prepared, { limit: 0 })
  for (const [index, row] of rows.entries()) order.set(row, index)
  return found
    .map(({ obj, score }) => ({ row: obj, grade: Math.round(score * 5), place: order.get(obj)! }))
    .sort((a, b) => b.grade - a.grade || a.place - b.place)
    .map(({ row }) => row)
}
