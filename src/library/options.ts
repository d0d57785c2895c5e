import { findAgent } from '../agents/find.ts'
import { type Io, realIo } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import { parseSince } from '../platform/since.ts'

/** Options of every function of the library. */
export interface Options {
  /** Replaces what this process sees as its home, environment, folder or time: for tests, or to read another home. */
  readonly io?: Partial<Io>
  /** Aborts: the next step throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface FilterOptions extends Options {
  /** Only these agents, by id or alias. */
  readonly agents?: readonly string[]
  /** Only the project of this folder, and folders below it. */
  readonly project?: string
  /** Only sessions used since then: a date, or as on the command line (`7d`, `yesterday`, `2026-11-01`). */
  readonly since?: Date | string
  /** Maximum number. */
  readonly limit?: number
}

/** For another home give `env` too: variables of this process may point to this one. */
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

/** Validates the options; throws `not-found` or `usage`. */
export function filterOf({ agents, project, since, limit }: FilterOptions, io: Io): Filter {
  return {
    ...(agents ? { agents: agents.map((name) => findAgent(name).id) } : {}),
    ...(project === undefined ? {} : { project: projectOf(project) }),
    ...(since === undefined ? {} : { since: typeof since === 'string' ? parseSince(since, io.now()) : since }),
    ...(limit === undefined ? {} : { limit }),
  }
}
