import { join } from 'node:path'
import type { Io } from './io.ts'

/** Ion's own data: `ION_HOME`, else `$CODER_MODULE_DATA_DIR/ion`, else `~/.ion`. */
export function ionHome(io: Io): string {
  if (io.env.ION_HOME) return io.env.ION_HOME
  if (io.env.CODER_MODULE_DATA_DIR) return join(io.env.CODER_MODULE_DATA_DIR, 'ion')
  return join(io.home, '.ion')
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
