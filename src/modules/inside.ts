import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'

/** Whether a path is a folder or below it, by the words of it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The path with all links before its last part resolved, as far as the folders are there. */
export function physical(path: string): string {
  return join(realFolder(dirname(resolve(path))), basename(path))
}

/** The same with the last part resolved too. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realFolder(above), basename(path))
  }
}

/** What a link at `from` says to lead to `to`: relative, so that a home that is mounted elsewhere keeps working. */
export function linkText(from: string, to: string): string {
  return relative(dirname(physical(from)), physical(to))
}

/** Whether the link text at `from` leads to `to`. */
export function leadsTo(from: string, text: string, to: string): boolean {
  return physical(resolve(dirname(physical(from)), text)) === physical(to)
}
