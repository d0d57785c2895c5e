/** When Ion prints colours; `auto`: in a terminal. */
export const colours = ['auto', 'always', 'never'] as const
export type Colour = (typeof colours)[number]

/** Something in the file that Ion cannot use, and ignores. */
export interface ConfigProblem {
  readonly line?: number
  readonly message: string
  readonly hint: string
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
  readonly problems: readonly ConfigProblem[]
}

export const noConfig: Config = { arguments: new Map(), projects: new Map(), problems: [] }
