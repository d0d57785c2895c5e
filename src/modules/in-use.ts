import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isWithin } from '../platform/project.ts'
import { resolveLinks } from './links.ts'

/** A path that a process has open, or its working folder. */
export interface OpenPath {
  readonly pid: number
  readonly command: string
  readonly path: string
}

/**
 * Paths that this user's processes have open. Only Linux reports them, and only for processes that may be inspected.
 * Called once for all locations, since it inspects every process.
 */
export function openPaths(): OpenPath[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    const paths = [linkOf(`/proc/${name}/cwd`), ...fdsOf(name)].filter((path) => path !== undefined)
    if (paths.length === 0) return []
    const command = commandOf(name)
    return [...new Set(paths)].map((path) => ({ pid: Number(name), command, path }))
  })
}

/** The first process that uses the folder. */
export function userOf(folder: string, open: readonly OpenPath[]): OpenPath | undefined {
  const real = resolveLinks(folder)
  return open.find(({ path }) => isWithin(path, real))
}

function fdsOf(pid: string): (string | undefined)[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  } catch {
    // The process is gone, or belongs to another user.
    return []
  }
}

/** Undefined for anything that is not a path, such as a pipe. */
function linkOf(path: string): string | undefined {
  try {
    const target = readlinkSync(path)
    return target.startsWith('/') ? target : undefined
  } catch {
    return undefined
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return '?'
  }
}
