import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** The path with all links resolved except in its last part, as far as the folders exist. */
export function physical(path: string): string {
  return join(resolveLinks(dirname(resolve(path))), basename(path))
}

/** The path with all links resolved, as far as the folders exist. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(resolveLinks(above), basename(path))
  }
}

/** The text of a link at `from` to `to`: relative, so that it still works if the home is mounted at another path. */
export function linkText(from: string, to: string): string {
  return relative(dirname(physical(from)), physical(to))
}

/** Whether a link at `from` with this text points to `to`. */
export function pointsTo(from: string, text: string, to: string): boolean {
  return physical(resolve(dirname(physical(from)), text)) === physical(to)
}
