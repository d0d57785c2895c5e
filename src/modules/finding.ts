/** What a place is. */
export type PlaceKind =
  /** `~/.<name>-module`, or a folder of a module elsewhere in the home. */
  | 'module-home'
  /** `coder-script-data/<uuid>`: a script gets another one at each start. */
  | 'script-data'
  /** `coder-script-data/bin`: shared, and the same at each start. */
  | 'script-bin'
  /** A fixed name in the temp folder. */
  | 'temp'
  /** In `.coder-modules` already. */
  | 'module-data'

/**
 * `yes`: it is there after a restart. `no`: it is in the temp folder. `orphaned`: the bytes are, but whoever wrote them
 * gets another folder and does not find them. `unknown`: neither in the home nor in the temp folder.
 */
export type Survival = 'yes' | 'no' | 'orphaned' | 'unknown'

/** What `ion modules migrate` would do with it. */
export type Action = 'move' | 'none' | 'leave' | 'refuse'

/** A place where a module keeps data; one line of `ion modules audit --json`. */
export interface Finding {
  readonly kind: PlaceKind
  /** What it is called below `.coder-modules`, now or after it was moved. */
  readonly name: string
  readonly path: string
  readonly survives: Survival
  readonly bytes: number
  readonly files: number
  /** The newest time of anything in it; null when nothing could be looked at. */
  readonly updated_at: string | null
  /** Where it leads, when it is a link; it is not followed. */
  readonly link: string | null
  readonly action: Action
  /** Where migrate moves it, or has moved it; null where it stays. */
  readonly target: string | null
  readonly reason: string
}
