/** When Ion prints colours; `auto`: in a terminal. */
export const colours = ['auto', 'always', 'never'] as const
export type Colour = (typeof colours)[number]

/** Something in the file that Ion cannot use, and ignores. */
export interface ConfigProblem {
  readonly line?: number
  readonly message: string
  readonly hint: string
}

/** Where tasks are kept in a store, and how. The names are those of the file. */
export interface ReplicaConfig {
  readonly address?: string
  readonly key_file?: string
  readonly recipients?: readonly string[]
  readonly encryption?: boolean
  /** How long a task can be restored to an earlier moment. */
  readonly days?: number
}

/** The user's settings: what config.toml sets, and nothing else. */
export interface Config {
  /** The agent of `ion run` and `ion serve` where none is named. */
  readonly agent?: string
  /** By agent: what it gets at every start. */
  readonly arguments: ReadonlyMap<string, readonly string[]>
  /** A command, or false for none. */
  readonly pager?: string | false
  readonly colour?: Colour
  /** Lists show all projects. */
  readonly all?: boolean
  /** Absolute paths by their aliases. */
  readonly projects: ReadonlyMap<string, string>
  readonly replica: ReplicaConfig
  readonly problems: readonly ConfigProblem[]
}

export const noConfig: Config = { arguments: new Map(), projects: new Map(), replica: {}, problems: [] }
