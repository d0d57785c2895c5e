import { findAgent } from '../../agents/find.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import { projectOf } from '../../platform/project.ts'
import { realFolder, taskOf } from '../../run/task.ts'
import { taskOfSession } from '../../run/tasks.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { resume } from '../definitions/running.ts'
import { findFresh } from '../find-session.ts'
import { canPick } from '../picker/can-pick.ts'
import { shellLine } from '../shell-line.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'
import { execute } from './run/execute.ts'
import { promptInput } from './run/prompt-input.ts'
import { modeOf } from './run/run.ts'

export const run: Run<typeof resume> = async ([reference], options, context, rest) => {
  // The index is closed before the agent starts: it may run for days.
  const chosen = await withCatalog(context, async (catalog) => {
    if (reference !== undefined) return catalog.locate(findFresh(catalog, reference, context))
    if (options.newest) return catalog.locate(newest(catalog, context))
    if (!canPick(context)) {
      throw new IonError('usage', 'no session id given', {
        hint: 'ion --resume <id>, or ion --continue for the newest session of this project',
      })
    }
    const { pickToResume } = await import('./pick-session.ts')
    return pickToResume(catalog, context)
  })
  return chosen ? resumeSession(chosen, options, context, rest) : 'ok'
}

/** The newest of this project, of any agent; one that is only in Ion's archive cannot be resumed. */
function newest(catalog: Catalog, context: Context): SessionRow {
  refreshed(catalog, context)
  const project = projectOf(context.io.cwd)
  const row = catalog.sessions({ project, limit: 200 }).find(({ resumable }) => resumable)
  if (row) return row
  throw new IonError('not-found', `no session in ${tilde(project, context.io)} can be resumed`, {
    hint: 'ion sessions --all',
  })
}

/** Opens a session in its agent. It becomes a task named by its short id, unless it already is one. */
export async function resumeSession(
  { head, store }: Located,
  options: OptionsOf<typeof resume>,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { io } = context
  const agent = findAgent(head.agent)
  if (store !== agent.id) {
    throw new IonError('refused', `session ${head.id.slice(0, 8)} is only in Ion's archive`, {
      hint: `restore it first: ion restore ${head.id.slice(0, 8)}; or read it: ion show ${head.id.slice(0, 8)}`,
    })
  }
  if (!agent.start || !head.resumable) {
    throw new IonError('refused', `${agent.title} cannot resume session ${head.id.slice(0, 8)}: ${agent.resume.note}`, {
      hint: `ion show ${head.id}`,
    })
  }
  const cwd = realFolder(head.cwd ?? io.cwd)
  const prompt = promptInput(options.send === undefined ? [] : [options.send], undefined, options.nudge)
  const task = taskOfSession(agent.id, head.native_id, io) ?? taskOf(agent.id, cwd, head.id.slice(0, 8), io)
  return execute(
    {
      agent,
      command: shellLine(['ion', '--resume', head.id.slice(0, 8)]),
      cwd,
      mode: modeOf(options, context),
      prompt: prompt.text,
      send: prompt.text !== undefined,
      isNew: false,
      steal: options.steal,
      restore: false,
      task,
      args: rest,
      adopt: { head, files: [head.path] },
      agentapi: undefined,
    },
    { dryRun: options.dryRun, json: options.json, stdinFromTty: prompt.fromStdin },
    context,
  )
}
