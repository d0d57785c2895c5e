import type { SearchHit } from '../../catalog/search-query.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import type { Size } from './layout.ts'

/** What the preview shows of a session's body. Null: there is none; undefined: not read yet. */
export interface Preview {
  readonly id: string
  readonly firstPrompt?: string | null
  readonly lastPrompt?: string | null
  readonly lastAnswer?: string | null
  readonly problem?: string
}

export interface Match {
  readonly row: SessionRow
  /** Where its text matched; without it, its name did. */
  readonly hit?: SearchHit
}

export interface TextMatches {
  readonly query: string
  readonly hits: readonly SearchHit[]
  readonly unindexed: number
}

/** Why the picker was left, and with which session. */
export type Outcome =
  | { readonly kind: 'leave' }
  | { readonly kind: 'show' | 'resume' | 'export' | 'copy'; readonly row: SessionRow }

export interface PickerState {
  readonly size: Size
  /** All sessions, newest first. */
  readonly rows: readonly SessionRow[]
  /** The project the user stands in; null when it has no sessions. */
  readonly project: string | null
  readonly scope: 'project' | 'all'
  readonly query: string
  readonly texts: TextMatches | undefined
  /** The rows of the scope: what the query is matched against. */
  readonly inScope: readonly SessionRow[]
  readonly matches: readonly Match[]
  /** Index of the chosen match, and of the first one on the screen. */
  readonly selected: number
  readonly top: number
  readonly preview: Preview | undefined
  readonly help: boolean
  /** What is being done behind: `reading sessions …`. */
  readonly status: string
  /** Something to tell until the next key. */
  readonly notice: string
  readonly outcome: Outcome | undefined
}

export function selectedRow(state: PickerState): SessionRow | undefined {
  return state.matches[state.selected]?.row
}
