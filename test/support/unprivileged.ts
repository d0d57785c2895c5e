import { spawnSync } from 'node:child_process'
import { findExecutable } from '../../src/platform/executable.ts'
import { realIo } from '../../src/platform/io.ts'

export const isRoot: boolean = process.getuid?.() === 0
const setpriv = findExecutable(['setpriv'], realIo())

/** Takes from root what lets it ignore file permissions. It stays root, so it can still reach its own checkout. */
const DROP = '--bounding-set=-dac_override,-dac_read_search,-fowner'

/** False for root on a system without setpriv: nothing there can be started that obeys file permissions. */
export const canRunUnprivileged: boolean =
  !isRoot || (setpriv !== undefined && spawnSync(setpriv, [DROP, 'true']).status === 0)

/** The command line that runs a program as someone whom file permissions bind: root without its privilege, or any user. */
export function unprivileged(program: string, args: readonly string[]): [string, string[]] {
  return isRoot ? [setpriv!, [DROP, program, ...args]] : [program, [...args]]
}

const NOBODY = 65534

/** The same for code of this process. */
export function withoutRoot<T>(body: () => T): T {
  if (!isRoot) return body()
  process.seteuid!(NOBODY)
  try {
    return body()
  } finally {
    process.seteuid!(0)
  }
}
