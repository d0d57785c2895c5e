import type { Catalog } from '../../catalog/catalog.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import { projectOf } from '../../platform/project.ts'
import { toResumable } from '../../run/resume.ts'
import { formerProjects } from '../../run/tasks.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { resume } from '../definitions/running.ts'
import { shellLine } from '../shell-line.ts'
import { canPick } from '../terminal.ts'
import { findFresh, refreshed, withCatalog } from '../with-catalog.ts'
import type { Chosen } from './pick-session.ts'
import { execute } from './run/execute.ts'
import { promptInput } from './run/prompt-input.ts'
import { replicaSettings } from './run/replica-settings.ts'
import { modeOf } from './run/run.ts'

type Options = OptionsOf<typeof resume>

export const run: Run<typeof resume> = async ([reference], options, context, rest) => {
  // The index is closed before the agent starts: it may run for days.
  const chosen = await withCatalog(context, async (catalog): Promise<Chosen | undefined> => {
    if (reference !== undefined) return { session: catalog.locate(findFresh(catalog, reference, context)) }
    if (options.newest) return { session: catalog.locate(newest(catalog, context)) }
    if (!canPick(context)) {
      throw new IonError('usage', 'no session id given', {
        hint: 'ion --resume <id>, or ion --continue for the newest session of this project',
      })
    }
    const { pickToResume } = await import('./pick-session.ts')
    return pickToResume(catalog, context)
  })
  return chosen ? resumeChosen(chosen, options, context, rest) : 'ok'
}

/** In its own agent, or handed over to another. */
export async function resumeChosen(
  { session, into }: Chosen,
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const agent = into ?? options.in
  if (agent === undefined) {
    refuseHandoverOptions(options)
    return resumeSession(session, options, context, rest)
  }
  const { resumeIn } = await import('./handover/resume-in.ts')
  return resumeIn(session, agent, options, context, rest)
}

/** What only says how a session is handed over. */
function refuseHandoverOptions({ as, tools, thinking, budget, since, again, incomplete, experimental }: Options): void {
  const given = Object.entries({ as, tools, thinking, budget, since, again, incomplete, experimental }).find(
    ([, value]) => value !== undefined && value !== false,
  )
  if (!given) return
  throw new IonError('usage', `--${given[0]} needs --in <agent>`, { hint: 'ion resume --help' })
}

/** The newest of this project, of any agent; one that is only in Ion's archive cannot be resumed. */
function newest(catalog: Catalog, context: Context): SessionRow {
  refreshed(catalog, context)
  const project = projectOf(context.io.cwd)
  // Where it was before it was renamed, its sessions still are.
  for (const place of [project, ...formerProjects(context.io)]) {
    const row = catalog.sessions({ project: place, limit: 200 }).find(({ resumable }) => resumable)
    if (row) return row
  }
  throw new IonError('not-found', `no session in ${tilde(project, context.io)} can be resumed`, {
    hint: 'ion sessions --all',
  })
}

/** Opens a session in its agent. */
export async function resumeSession(
  located: Located,
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { head } = located
  const { agent, ...place } = await toResumable(located, context.io, options.here)
  const prompt = promptInput(options.send === undefined ? [] : [options.send], undefined, options.nudge)
  return execute(
    {
      agent,
      command: shellLine(['ion', '--resume', head.id]),
      ...place,
      mode: modeOf(options, context),
      prompt: prompt.text,
      send: prompt.text !== undefined,
      isNew: false,
      steal: options.steal,
      onOtherPrompt: 'refuse',
      restore: false,
      args: rest,
      defaultArgs: context.config.arguments.get(agent.id) ?? [],
      adopt: { head, files: [head.path] },
      agentapi: undefined,
    },
    {
      dryRun: options.dryRun,
      json: options.json,
      stdinFromTty: prompt.fromStdin,
      replica: replicaSettings({}, context),
    },
    context,
  )
}
