import { isAbsolute, join, resolve } from 'node:path'
import { IonError } from './error.ts'
import type { Io } from './io.ts'

/** Ion's own data: `ION_HOME`, else `$CODER_MODULE_DATA_DIR/ion`, else `~/.ion`. */
export function ionHome(io: Io): string {
  if (io.env.ION_HOME) return chosenHome(io.env.ION_HOME, io)
  if (io.env.CODER_MODULE_DATA_DIR) return join(io.env.CODER_MODULE_DATA_DIR, 'ion')
  return join(io.home, '.ion')
}

/**
 * A `~` that no shell has replaced, as in a Dockerfile, is the home folder. A relative path would be another Ion home in each
 * folder, and what runs in one would be unknown in the others.
 */
function chosenHome(path: string, io: Io): string {
  const absolute = withoutTilde(path, io)
  if (isAbsolute(absolute)) return absolute
  throw new IonError('usage', `ION_HOME is not an absolute path: ${path}`, {
    hint: `set ION_HOME=${resolve(io.cwd, path)}, or unset it`,
  })
}

/** Ion's tasks: `<ION_HOME>/tasks/<hash of the project>/<agent>-<name>/`; see task-folders.ts. */
export function tasksFolder(io: Io): string {
  return join(ionHome(io), 'tasks')
}

/** `$XDG_DATA_HOME`, else `~/.local/share`. */
export function dataHome(io: Io): string {
  return io.env.XDG_DATA_HOME || join(io.home, '.local', 'share')
}

/** `$XDG_CONFIG_HOME`, else `~/.config`. */
export function configHome(io: Io): string {
  return io.env.XDG_CONFIG_HOME || join(io.home, '.config')
}

/** The path as a person writes it: `~/src/shop` instead of `/home/dev/src/shop`. */
export function tilde(path: string, io: Io): string {
  if (path === io.home) return '~'
  return path.startsWith(`${io.home}/`) ? `~${path.slice(io.home.length)}` : path
}

/** A path that a person typed where no shell replaces the `~`. */
export function withoutTilde(path: string, io: Io): string {
  return path === '~' || path.startsWith('~/') ? join(io.home, path.slice(1)) : path
}
