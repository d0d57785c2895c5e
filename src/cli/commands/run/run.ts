import { loadAgent } from '../../../agents/load.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { readLedger, type Way } from '../../../run/ledger.ts'
import { DEFAULT_TASK, realFolder, taskOf } from '../../../run/task.ts'
import type { Context, Options } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { execute } from './execute.ts'
import { prepare } from './prepare.ts'
import { promptInput } from './prompt-input.ts'

export async function run(
  args: readonly unknown[],
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { io } = context
  const [name, words = []] = args as [string, (readonly string[])?]
  const agent = await loadAgent(name)
  if (!agent.start) throw new IonError('usage', `${agent.title} cannot be started`, { hint: 'ion agents' })
  const cwd = realFolder(io.cwd)
  if (typeof options.prepare === 'string') return prepare(agent, options.prepare, cwd, options.dryRun === true, context)
  const nudge = options.nudge === true
  const prompt = promptInput(words, options.promptFile as string | undefined, nudge)
  const taskName = typeof options.task === 'string' ? options.task : DEFAULT_TASK
  const command = ['ion', 'run', agent.id, ...(taskName === DEFAULT_TASK ? [] : ['--task', taskName])]
  if (options.send === true && prompt.text === undefined) {
    throw new IonError('usage', '--send has nothing to send', { hint: `${shellLine(command)} --send "what next"` })
  }
  const task = taskOf(agent.id, cwd, taskName, io)
  // Its first words would be "go on", and nobody has said with what.
  if (nudge && readLedger(task.folder).entries.length === 0) {
    throw new IonError('not-found', 'this task was never started, so it cannot go on', {
      hint: `${shellLine(command)} "what to do"`,
    })
  }
  return execute(
    {
      agent,
      command: shellLine(command),
      cwd,
      way: wayOf(options, context),
      prompt: prompt.text,
      send: options.send === true || nudge,
      isNew: options.new === true,
      steal: options.steal === true,
      restore: options.restore === true,
      task,
      args: rest,
      adopt: undefined,
      agentapi:
        options.agentapi === true
          ? { persist: options.statePersistence !== false, port: options.agentapiPort as string | undefined }
          : undefined,
    },
    { dryRun: options.dryRun === true, json: options.json === true, stdinFromTty: prompt.fromStdin },
    context,
  )
}

/** Without a terminal, the user must say which of the other two is meant. */
export function wayOf(options: Options, { out }: Context): Way {
  if (options.headless === true && options.detach === true) {
    throw new IonError('usage', '--headless and --detach exclude each other', { hint: 'choose one of them' })
  }
  if (options.detach === true) return 'detached'
  if (options.headless === true) return 'headless'
  if (!out.isTTY && options.dryRun !== true && options.agentapi !== true) {
    throw new IonError('usage', 'there is no terminal here', {
      hint: 'add --headless for one turn, or --detach for the background',
    })
  }
  return 'terminal'
}
