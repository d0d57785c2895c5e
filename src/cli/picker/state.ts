import type { SearchHit } from '../../catalog/search/query.ts'
import type { SessionRow } from '../../catalog/session-row.ts'

/** What the preview shows of a session's content. Null: there is none; undefined: not read yet. */
export interface Preview {
  readonly id: string
  readonly firstPrompt?: string | null
  readonly lastPrompt?: string | null
  readonly lastAnswer?: string | null
  readonly problem?: string
}

export interface Match {
  readonly row: SessionRow
  /** Where its text matched; undefined if its name matched. */
  readonly hit?: SearchHit
}

export interface TextMatches {
  readonly query: string
  readonly hits: readonly SearchHit[]
}

/** Why the picker was closed, and with which session. */
export type Outcome =
  | { readonly kind: 'leave' }
  | { readonly kind: 'show' | 'resume' | 'export' | 'copy'; readonly row: SessionRow }

export interface PickerState {
  readonly size: Size
  /** All sessions, newest first. */
  readonly rows: readonly SessionRow[]
  /** The current project; null if it has no sessions. */
  readonly project: string | null
  readonly scope: 'project' | 'all'
  readonly query: string
  readonly texts: TextMatches | undefined
  /** How many sessions of each scope are not listed: those of sub-agents, and archived in their agents. */
  readonly unlisted: Readonly<Record<PickerState['scope'], number>>
  /** The rows of the scope: what the query is matched against. */
  readonly inScope: readonly SessionRow[]
  readonly matches: readonly Match[]
  /** Index of the chosen match, and of the first one on the screen. */
  readonly selected: number
  readonly top: number
  readonly preview: Preview | undefined
  readonly help: boolean
  /** What is being done in the background: `reading sessions …`. */
  readonly status: string
  /** A message that is shown until the next key. */
  readonly notice: string
  readonly outcome: Outcome | undefined
}

export function selectedRow(state: PickerState): SessionRow | undefined {
  return state.matches[state.selected]?.row
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** From top to bottom: heading, query, list with the preview beside or below it, keys. */
export interface Layout {
  readonly list: Size
  readonly preview: Size & { readonly place: 'beside' | 'below' | 'none' }
}

/** Columns needed for a preview beside the list, rows for one below it. */
const COLUMNS_BESIDE = 100
const ROWS_BELOW = 13

export function layOut({ columns, rows }: Size): Layout {
  const body = Math.max(1, rows - 4)
  if (columns >= COLUMNS_BESIDE) {
    const width = Math.min(Math.floor(columns * 0.55), 90)
    return {
      list: { columns: width, rows: body },
      // Three columns for the line in between.
      preview: { columns: columns - width - 3, rows: body, place: 'beside' },
    }
  }
  if (rows >= ROWS_BELOW) {
    const below = Math.floor(body * 0.4)
    return {
      list: { columns, rows: body - below - 1 },
      preview: { columns, rows: below, place: 'below' },
    }
  }
  return { list: { columns, rows: body }, preview: { columns: 0, rows: 0, place: 'none' } }
}
