import { findAgent } from '../agents/find.ts'
import { type Io, realIo } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { parseSince } from '../platform/since.ts'

/** What every function of the library takes. */
export interface Options {
  /** Another world than this process sees, for tests and for reading another home; what is left out is as it is. */
  readonly io?: Partial<Io>
  /** Ends the iteration: the next step throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface FilterOptions extends Options {
  /** Only of these agents, by id or alias. */
  readonly agents?: readonly string[]
  /** Only of the project of this folder, and of folders below it. */
  readonly project?: string
  /** Only what was used since: a date, or as on the command line (`7d`, `yesterday`, `2026-11-01`). */
  readonly since?: Date | string
  /** At most so many. */
  readonly limit?: number
}

/** A home of another user comes with the variables that belong to it: give `env` too, or none of them lead there. */
export function ioOf({ io = {} }: Options): Io {
  const real = realIo()
  const home = io.home ?? io.env?.HOME ?? real.home
  return { ...real, ...io, home }
}

export interface Filter {
  readonly agents?: readonly string[]
  readonly project?: string
  readonly since?: Date
  readonly limit?: number
}

/** The options judged; throws `not-found` or `usage` for what makes no sense. */
export function filterOf({ agents, project, since, limit }: FilterOptions, io: Io): Filter {
  return {
    ...(agents ? { agents: agents.map((name) => findAgent(name).id) } : {}),
    ...(project === undefined ? {} : { project: projectOf(project) }),
    ...(since === undefined ? {} : { since: typeof since === 'string' ? parseSince(since, io.now()) : since }),
    ...(limit === undefined ? {} : { limit }),
  }
}
