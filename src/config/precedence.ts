import type { Io } from '../platform/io.ts'
import type { Colour, Config } from './config.ts'

type Env = Io['env']

/** A setting as it counts, and where it is from: options come first, then the environment, the file, and the default. */
export interface Effective<T> {
  readonly value: T
  readonly source: 'environment' | 'file' | 'default'
  /** The name of the variable. */
  readonly variable?: string
}

/** https://no-color.org, and FORCE_COLOR for users who pipe the output to a pager. */
export function effectiveColour({ colour }: Config, env: Env): Effective<Colour> {
  if (env.NO_COLOR) return { value: 'never', source: 'environment', variable: 'NO_COLOR' }
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0')
    return { value: 'always', source: 'environment', variable: 'FORCE_COLOR' }
  return colour === undefined ? { value: 'auto', source: 'default' } : { value: colour, source: 'file' }
}

/** A command, or false for none; undefined: less, if it is installed. */
export function effectivePager({ pager }: Config, env: Env): Effective<string | false | undefined> {
  if (env.PAGER !== undefined) return { value: env.PAGER.trim() || false, source: 'environment', variable: 'PAGER' }
  return { value: pager, source: pager === undefined ? 'default' : 'file' }
}
