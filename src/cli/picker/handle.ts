import type { SteppedCatalog } from '../../catalog/catalog.ts'
import type { SessionFilter } from '../../catalog/session-row.ts'
import type { Io } from '../../platform/io.ts'
import type { PickerState } from './state.ts'
import type { Action } from './update.ts'

/** What the work behind the picker may do with it. */
export interface PickerHandle {
  readonly catalog: SteppedCatalog
  readonly filter: SessionFilter
  readonly io: Io
  /** Folders by the user's names for them. */
  readonly projects: ReadonlyMap<string, string>
  readonly state: PickerState
  readonly isOpen: boolean
  dispatch(action: Action): void
  /** Draws immediately, for work that blocks the event loop. */
  paint(): void
  /** An error in `work` closes the picker. Does nothing once it is closed. */
  guard(work: () => void): void
}

/** Wait for a pause in typing or scrolling before doing anything slow. */
export const PAUSE_MS = 80

/** What is being done is not shown more often than this. */
export const REPAINT_MS = 100
