import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ListRow } from '../state/steps.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { RowView } from './row.tsx'
import type { Surroundings } from './surroundings.ts'
import type { RowList as List } from './virtual-rows.ts'

interface Props {
  readonly rows: readonly ListRow[]
  readonly list: List
  readonly around: Surroundings
  /** The row of the current match. */
  readonly found: string | undefined
  /** The row that a link has led to. */
  readonly marked?: string | undefined
  /** What is beside a row, in its margin. */
  readonly beside?: (row: ListRow) => JSX.Element | null
}

/** The rows of a conversation that are visible, at their places in the height of all. */
export function RowList({ rows, list, around, found, marked, beside }: Props): JSX.Element {
  const items = list.getVirtualItems()
  const opened = useMemo(
    () => new Set(rows.flatMap((row) => (row.kind === 'steps' && row.isOpen ? row.steps.map(({ key }) => key) : []))),
    [rows],
  )
  const classOf = ({ key }: ListRow): string =>
    `row${opened.has(key) ? ' step' : ''}${key === found ? ' found' : ''}${key === marked ? ' marked' : ''}`
  return (
    <div class="rows" style={{ height: `${list.getTotalSize()}px` }}>
      <div class="window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
        {items.map(({ key, index }) => {
          const row = rows[index]
          return (
            row && (
              <div key={key} ref={list.measureElement} data-index={index} data-key={row.key} class={classOf(row)}>
                <ErrorBoundary>
                  <RowView row={row} around={around} />
                </ErrorBoundary>
                {beside?.(row)}
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}
