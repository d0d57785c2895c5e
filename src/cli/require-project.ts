import { existsSync } from 'node:fs'
import type { SessionList } from '../catalog/catalog.ts'
import { namedProject } from '../config/project-alias.ts'
import type { Context } from './command.ts'

/** What `--project` names, if it is neither an alias nor a folder that exists. */
export function doubtfulProject(given: string | undefined, { io, config }: Context): string | undefined {
  if (given === undefined || config.projects.has(given)) return undefined
  const folder = namedProject(given, config, io)
  return existsSync(folder) ? undefined : folder
}

/**
 * A project whose folder was deleted still has its sessions; one without any is not what was meant. `command` is what to type
 * with the right one.
 */
export async function requireProject(
  list: Pick<SessionList, 'has' | 'sessions'>,
  given: string | undefined,
  command: readonly string[],
  context: Context,
): Promise<void> {
  const folder = doubtfulProject(given, context)
  if (folder === undefined || list.has({ project: folder, hidden: true, subAgents: true })) return
  throw (await import('./unknown-project.ts')).unknownProject(given!, folder, list, command, context)
}
