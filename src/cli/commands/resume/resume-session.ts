import { findAgent } from '../../../agents/find.ts'
import type { Located } from '../../../catalog/read-session.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { realFolder, taskOf } from '../../../run/task.ts'
import { taskOfSession } from '../../../run/tasks.ts'
import type { Context, Options } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { execute } from '../run/execute.ts'
import { promptInput } from '../run/prompt-input.ts'
import { wayOf } from '../run/run.ts'

/** Opens a session in its agent. It becomes a task, under its short id where it is none yet. */
export async function resumeSession(
  { head, store }: Located,
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { io } = context
  const agent = findAgent(head.agent)
  if (store !== agent.id) {
    throw new IonError('refused', `session ${head.id.slice(0, 8)} is only in Ion's archive`, {
      hint: `put it back first: ion restore ${head.id.slice(0, 8)}; or read it: ion show ${head.id.slice(0, 8)}`,
    })
  }
  if (!agent.start || !head.resumable) {
    throw new IonError('refused', `${agent.title} cannot resume session ${head.id.slice(0, 8)}: ${agent.resume.note}`, {
      hint: `ion show ${head.id}`,
    })
  }
  const cwd = realFolder(head.cwd ?? io.cwd)
  const nudge = options.nudge === true
  const words = typeof options.send === 'string' ? [options.send] : []
  const prompt = promptInput(words, undefined, nudge)
  const task = taskOfSession(agent.id, head.native_id, io) ?? taskOf(agent.id, cwd, head.id.slice(0, 8), io)
  return execute(
    {
      agent,
      command: shellLine(['ion', '--resume', head.id.slice(0, 8)]),
      cwd,
      way: wayOf(options, context),
      prompt: prompt.text,
      send: prompt.text !== undefined,
      isNew: false,
      steal: options.steal === true,
      restore: false,
      task,
      args: rest,
      adopt: { head, files: [head.path] },
      agentapi: undefined,
    },
    { dryRun: options.dryRun === true, json: options.json === true, stdinFromTty: prompt.fromStdin },
    context,
  )
}
