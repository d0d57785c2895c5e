import type { Located } from '../../../catalog/read-session.ts'
import { carryOut, type HandoverPlan, planHandover } from '../../../handover/hand-over.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { taskOf } from '../../../run/task.ts'
import type { Context, OptionsOf } from '../../command.ts'
import type { resume } from '../../definitions/running.ts'
import { shellLine } from '../../shell-line.ts'
import { resumeSession } from '../resume.ts'
import { execute } from '../run/execute.ts'
import { replicaSettings } from '../run/replica-settings.ts'
import { modeOf } from '../run/run.ts'
import { reportJson, reportText } from './report-text.ts'
import { requestOf } from './request.ts'

type Options = OptionsOf<typeof resume>

/** Hands the session over and opens it there. Sends nothing but what the user says. */
export async function resumeIn(
  source: Located,
  into: string,
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { io, out, err } = context
  const request = await requestOf(source, into, options, context)
  const plan = planHandover(request, io)
  if (options.dryRun) {
    out.write(options.json ? `${toJsonText(reportJson(plan, undefined))}\n` : reportText(plan, undefined, io))
    return 'ok'
  }
  if (!plan.written) return sendBrief(plan, options, context, rest)
  const over = carryOut(plan, io)
  err.write(reportText(plan, over, io))
  return resumeSession({ head: over.head, reader: request.target }, { ...options, here: false }, context, rest)
}

/** An agent that accepts no written session gets the brief with the user's prompt, which starts a new session. */
function sendBrief(
  { request, brief }: HandoverPlan,
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { target, cwd, source } = request
  const { id } = source.head
  if (options.send === undefined) {
    throw new IonError(
      'refused',
      `${target.title} accepts no session that another program wrote, only a brief with a prompt`,
      {
        hint: `${shellLine(['ion', '--resume', id, '--in', target.id, '--send'])} "what to do next"; ion handover ${id} --in ${target.id} prints the brief`,
      },
    )
  }
  return execute(
    {
      agent: target,
      command: shellLine(['ion', '--resume', id, '--in', target.id]),
      cwd,
      task: taskOf(target.id, cwd, `from-${id.slice(0, 8)}`, context.io),
      mode: modeOf(options, context),
      prompt: `${brief}\n\n## What to do now\n${options.send}`,
      send: false,
      isNew: options.again,
      steal: options.steal,
      onOtherPrompt: 'refuse',
      restore: false,
      args: rest,
      defaultArgs: context.config.arguments.get(target.id) ?? [],
      adopt: undefined,
      agentapi: undefined,
    },
    { dryRun: false, json: false, stdinFromTty: false, replica: replicaSettings({}, context) },
    context,
  )
}
