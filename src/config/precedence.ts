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

const DEFAULT_DAYS = 7

/** Undefined where there is neither a value nor a default. */
interface EffectiveReplica {
  readonly address: Effective<string | undefined>
  readonly key_file: Effective<string | undefined>
  readonly recipients: Effective<readonly string[] | undefined>
  readonly encryption: Effective<boolean>
  readonly days: Effective<number>
}

/** By the names of the file. */
export function effectiveReplica({ replica }: Config, env: Env): EffectiveReplica {
  const from = <T>(variable: string, set: T | undefined, parse: (text: string) => T): Effective<T | undefined> => {
    const text = env[variable]
    if (text) return { value: parse(text), source: 'environment', variable }
    return { value: set, source: set === undefined ? 'default' : 'file' }
  }
  const encryption = from('ION_REPLICA_ENCRYPTION', replica.encryption, (text) => text !== 'none')
  return {
    address: from('ION_REPLICA', replica.address, String),
    key_file: from('ION_REPLICA_KEY_FILE', replica.key_file, String),
    recipients: { value: replica.recipients, source: replica.recipients ? 'file' : 'default' },
    encryption: { ...encryption, value: encryption.value ?? true },
    days: { value: replica.days ?? DEFAULT_DAYS, source: replica.days === undefined ? 'default' : 'file' },
  }
}
