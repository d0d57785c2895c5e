/** The kind of a location. */
export type PlaceKind =
  /** `~/.<name>-module`, or another folder of a module in the home. */
  | 'module-home'
  /** `coder-script-data/<uuid>`: a script gets a new one at each start. */
  | 'script-data'
  /** `coder-script-data/bin`: shared, the same at each start. */
  | 'script-bin'
  /** A fixed name in the temp folder. */
  | 'temp'
  /** Already in `.coder-modules`. */
  | 'module-data'

/**
 * `yes`: it survives a restart. `no`: it is in the temp folder. `orphaned`: the data survives, but the script that wrote
 * it gets a new folder and does not find it. `unknown`: neither in the home nor in the temp folder.
 */
export type Survival = 'yes' | 'no' | 'orphaned' | 'unknown'

/** What `ion modules migrate` would do with it. */
export type Action = 'move' | 'none' | 'leave' | 'refuse'

/** A location where a module stores data; one line of `ion modules audit --json`. */
export interface Finding {
  readonly kind: PlaceKind
  /** Its name below `.coder-modules`, now or after the move. */
  readonly name: string
  readonly path: string
  readonly survives: Survival
  readonly bytes: number
  readonly files: number
  /** The newest modification time in it; null if nothing could be read. */
  readonly updated_at: string | null
  /** The target if it is a link, which is not followed. */
  readonly link: string | null
  readonly action: Action
  /** Where migrate moves it or has moved it; null if it stays. */
  readonly target: string | null
  readonly reason: string
}
