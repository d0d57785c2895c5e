import { userInfo } from 'node:os'

/**
 * The environment, home, folder, platform and clock of the user, as an argument: tests pass their own. Below `cli/` nothing
 * else reads the environment, but for this folder; some code uses the pid, signals and children of this process.
 */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder; `HOME` of `env`, so that a scratch home is enough to move everything. */
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly now: () => Date
  /** `home` is not this user's own: nothing outside it belongs to it. */
  readonly isOtherHome?: true
}

/** The same with another home, to which the user's variables do not apply. */
export function inHome(home: string, io: Io): Io {
  return { ...io, home, env: {}, isOtherHome: true }
}

/** The environment of the programs that Ion starts: the key of the user's replicas is only for Ion. */
export function programEnvironment({ env }: Pick<Io, 'env'>): NodeJS.ProcessEnv {
  const { ION_REPLICA_KEY, ...others } = env
  return others
}

export function realIo(): Io {
  const env = process.env
  return {
    env,
    home: env.HOME || env.USERPROFILE || userInfo().homedir,
    cwd: process.cwd(),
    platform: process.platform,
    now: () => new Date(),
  }
}
