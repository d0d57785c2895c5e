import type { SearchHit } from '../../catalog/search/query.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import type { MarksChange } from '../../organise/change-marks.ts'
import type { Dialog } from './dialog.ts'
import type { Listed, Wanted } from './match.ts'
import type { Order } from './order.ts'

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
  /** Where its text matched; undefined if only its name did. */
  readonly hit?: SearchHit
}

/** Shorter queries are in nearly every text. */
export const MIN_TEXT_QUERY = 2

/** What was found in the text of sessions so far. */
export interface TextMatches {
  readonly query: string
  readonly hits: readonly SearchHit[]
  /** Sessions that were searched, of all that are to be. */
  readonly done: number
  readonly total: number
  readonly isComplete: boolean
  /** Sessions, or parts of them, that could not be searched. */
  readonly unsearched: number
}

/** Why the picker was closed, and with which session. */
export type Outcome =
  | { readonly kind: 'leave' }
  | { readonly kind: 'show' | 'resume'; readonly row: SessionRow }
  | { readonly kind: 'handover'; readonly row: SessionRow; readonly agent: string }

/** Something to do while the picker stays open. */
export type Request =
  | { readonly kind: 'copy'; readonly what: 'id' | 'resume' | 'answer'; readonly rows: readonly SessionRow[] }
  | { readonly kind: 'export' | 'share'; readonly path: string; readonly rows: readonly SessionRow[] }
  | { readonly kind: 'organise'; readonly change: MarksChange; readonly rows: readonly SessionRow[] }
  /** Find out what a removal would remove, to ask for it. */
  | { readonly kind: 'plan-removal'; readonly rows: readonly SessionRow[] }
  | { readonly kind: 'remove'; readonly rows: readonly SessionRow[] }
  | { readonly kind: 'undo-removal' }
  /** Find out which agents can continue it, to have one chosen. */
  | { readonly kind: 'plan-handover'; readonly row: SessionRow }
  | { readonly kind: 'fork'; readonly row: SessionRow }

export interface PickerState {
  readonly size: Size
  /** All sessions, newest first. */
  readonly rows: readonly Listed[]
  /** The project that `scope` is about: at first the current one; null if it has no sessions. */
  readonly project: string | null
  readonly scope: 'project' | 'all'
  /** Only sessions of this agent; null for all. */
  readonly agent: string | null
  readonly order: Order
  readonly query: string
  readonly wanted: Wanted
  readonly texts: TextMatches | undefined
  /** How many sessions are not listed: those of sub-agents, and archived in their agents. */
  readonly unlisted: number
  /** The rows that the filters leave, in order: what the query is matched against. */
  readonly inScope: readonly Listed[]
  readonly matches: readonly Match[]
  /** Index of the chosen match, and of the first one on the screen. */
  readonly selected: number
  readonly top: number
  /** Marked sessions, by `keyOf`. */
  readonly marked: ReadonlyMap<string, SessionRow>
  readonly preview: Preview | undefined
  /** How far the preview is scrolled. */
  readonly previewTop: number
  /** What is open in front of the list. */
  readonly dialog: Dialog | undefined
  /** What is being done in the background: `reading sessions …`. */
  readonly status: string
  /** A message that is shown until the next key. */
  readonly notice: string
  readonly outcome: Outcome | undefined
  readonly request: Request | undefined
}

export function selectedRow(state: PickerState): SessionRow | undefined {
  return state.matches[state.selected]?.row
}

/** Whether what was typed is looked for in the text of sessions. */
export function isForText({ query, wanted }: PickerState): boolean {
  const isQuery = wanted.problem === '' && (wanted.matcher !== undefined || wanted.isOnlyText)
  return isQuery && query.trim().length >= MIN_TEXT_QUERY
}

/** An agent and its successor may share an id. */
export function keyOf({ agent, id }: SessionRow): string {
  return `${agent}:${id}`
}

/** What an action is about: the marked sessions, else the selected one. */
export function targets(state: PickerState): readonly SessionRow[] {
  if (state.marked.size > 0) return [...state.marked.values()]
  const row = selectedRow(state)
  return row ? [row] : []
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
