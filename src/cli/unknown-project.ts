import { basename } from 'node:path'
import type { SessionList } from '../catalog/catalog.ts'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import { nearest } from '../platform/nearest.ts'
import type { Context } from './command.ts'
import { shellLine } from './shell-line.ts'

/** For a name that is neither that of a project nor a folder, with the one that was probably meant. */
export function unknownProject(
  given: string,
  folder: string,
  list: Pick<SessionList, 'sessions'>,
  command: readonly string[],
  { io, config }: Context,
): IonError {
  const known = list.sessions({ hidden: true, subAgents: true }).flatMap(({ project }) => project ?? [])
  const byName = new Map(known.reverse().map((project) => [basename(project).toLowerCase(), project]))
  for (const alias of config.projects.keys()) byName.set(alias, alias)
  const meant = nearest(basename(given), [...byName.keys()])
  return new IonError(
    'not-found',
    `no project "${given}": no alias has this name, and ${tilde(folder, io)} does not exist`,
    {
      hint: meant
        ? `did you mean ${meant}? ${shellLine([...command, '--project', byName.get(meant)!])}`
        : 'ion sessions --all lists the sessions of all projects',
    },
  )
}
