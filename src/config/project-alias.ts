import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'
import type { Config } from './config.ts'

/**
 * The project that `--project` names: by an alias, or by a folder in it. An alias comes before a folder of that name, wherever
 * the user is; the folder is `./name`.
 */
export function namedProject(given: string, { projects }: Config, io: Io): string {
  const folder = projects.get(given) ?? resolve(io.cwd, given)
  // A project whose folder was deleted still has its sessions.
  return existsSync(folder) ? projectOf(folder) : folder
}
