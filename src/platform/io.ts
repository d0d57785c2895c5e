import { userInfo } from 'node:os'

/**
 * The outside world as an argument: what a command or an adapter may know about the machine it runs on.
 * Tests pass their own; nothing below `cli/` looks at `process` directly.
 */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder; `HOME` of `env`, so that a scratch home is enough to move everything. */
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly now: () => Date
}

/** The same world with another home. The variables of the user say nothing about that one. */
export function inHome(home: string, io: Io): Io {
  return { ...io, home, env: {} }
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
