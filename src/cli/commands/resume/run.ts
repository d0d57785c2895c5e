import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import { projectOf } from '../../../platform/project.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { canPick } from '../../picker/can-pick.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { resumeSession } from './resume-session.ts'

export async function run(
  args: readonly unknown[],
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const [reference] = args as [string?]
  // The catalogue is closed before the agent starts: it may run for days.
  const chosen = await withCatalog(context, async (catalog) => {
    if (reference !== undefined) return located(catalog, findFresh(catalog, reference, context))
    if (options.newest === true) return located(catalog, newest(catalog, context))
    if (!canPick(context)) {
      throw new IonError('usage', 'which session?', {
        hint: 'ion --resume <id>, or ion --continue for the newest here',
      })
    }
    const { chooseToResume } = await import('../sessions/choose.ts')
    return chooseToResume(catalog, context)
  })
  return chosen ? resumeSession(chosen, options, context, rest) : 'ok'
}

function located(catalog: Catalog, row: SessionRow): ReturnType<Catalog['locate']> {
  return catalog.locate(row)
}

/** Of this project, by any agent; what is only in Ion's archive cannot be opened in an agent. */
function newest(catalog: Catalog, context: Context): SessionRow {
  refreshed(catalog, context)
  const project = projectOf(context.io.cwd)
  const row = catalog.sessions({ project, limit: 200 }).find(({ resumable }) => resumable)
  if (row) return row
  throw new IonError('not-found', `no session in ${tilde(project, context.io)} that can be resumed`, {
    hint: 'ion sessions --all',
  })
}
