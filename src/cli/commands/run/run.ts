import type { Agent } from '../../../agents/agent.ts'
import { agentAndPrompt } from '../../../config/default-agent.ts'
import { settingsText, writeSettings } from '../../../native/settings.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import type { RunMode } from '../../../run/ledger.ts'
import { locateTask } from '../../../run/locate-task.ts'
import { startOf } from '../../../run/program.ts'
import { DEFAULT_TASK, realFolder, taskOf } from '../../../run/task.ts'
import type { Context, Run } from '../../command.ts'
import type { run as definition } from '../../definitions/running.ts'
import { shellLine } from '../../shell-line.ts'
import { execute } from './execute.ts'
import { promptInput } from './prompt-input.ts'
import { replicaSettings } from './replica-settings.ts'

export const run: Run<typeof definition> = async ([first, given], options, context, rest) => {
  const { io, config } = context
  const { agent, words } = await agentAndPrompt('run', first, given, config)
  startOf(agent)
  const cwd = realFolder(io.cwd)
  if (options.prepare !== undefined) return prepare(agent, options.prepare, cwd, options.dryRun, context)
  const { nudge, task: taskName = DEFAULT_TASK } = options
  const prompt = promptInput(words, options.promptFile, nudge)
  const command = ['ion', 'run', agent.id, ...(taskName === DEFAULT_TASK ? [] : ['--task', taskName])]
  if (options.send && prompt.text === undefined) {
    throw new IonError('usage', '--send needs a prompt', { hint: `${shellLine(command)} --send "what next"` })
  }
  const located = await locateTask(
    {
      agent,
      command: shellLine(command),
      cwd,
      mode: modeOf(options, context),
      prompt: prompt.text,
      send: options.send || nudge,
      isNew: options.new,
      steal: options.steal,
      // Its agentapi is started by a workspace, where nobody can answer.
      onOtherPrompt: options.agentapi ? 'resume' : 'refuse',
      restore: options.restore,
      task: taskOf(agent.id, cwd, taskName, io),
      args: rest,
      defaultArgs: config.arguments.get(agent.id) ?? [],
      adopt: undefined,
      agentapi: options.agentapi ? { persist: options.statePersistence, port: options.agentapiPort } : undefined,
    },
    options,
    io,
  )
  const { dryRun, json } = options
  const replica = replicaSettings(options, context)
  return execute(located, { dryRun, json, stdinFromTty: prompt.fromStdin, replica, nudge }, context)
}

interface ModeOptions {
  readonly headless: boolean
  readonly detach: boolean
  readonly dryRun: boolean
  readonly agentapi?: boolean
}

/** Without a terminal, the user must choose one of the other two modes. */
export function modeOf({ headless, detach, dryRun, agentapi }: ModeOptions, { out }: Context): RunMode {
  if (headless && detach) {
    throw new IonError('usage', '--headless and --detach cannot be combined', { hint: 'use one of them' })
  }
  if (detach) return 'detached'
  if (headless) return 'headless'
  if (!out.isTTY && !dryRun && !agentapi) {
    throw new IonError('usage', 'stdout is not a terminal', {
      hint: 'add --headless to run one turn, or --detach to run in the background',
    })
  }
  return 'terminal'
}

/** Writes the settings that the user names, and prints what it wrote. */
export function prepare(agent: Agent, what: string, cwd: string, dryRun: boolean, { io, out }: Context): ExitKind {
  const known = agent.start?.prepare ?? {}
  const names = Object.keys(known)
  if (what === 'list') {
    const waiting = new Map(
      (agent.start?.dialogs?.({ cwd, io, args: [] }) ?? []).map((dialog) => [dialog.id, dialog.asks]),
    )
    if (names.length === 0) out.write(`${agent.title} has no first-run dialog that can be answered in advance\n`)
    for (const name of names) out.write(`${name}: ${waiting.has(name) ? `it ${waiting.get(name)}` : 'nothing to do'}\n`)
    return 'ok'
  }
  for (const name of what.split(',')) {
    const make = known[name.trim()]
    if (!make) {
      throw new IonError('usage', `${agent.title} has nothing called "${name}" to prepare`, {
        hint: names.length ? `one of: ${names.join(', ')}` : 'answer the dialog in the agent',
      })
    }
    const { file, content, sets } = make({ cwd, io })
    const isDone = settingsText(file) === content
    if (!isDone && !dryRun) writeSettings(file, content)
    out.write(`${isDone ? 'already set' : dryRun ? 'would write' : 'wrote'} ${sets} in ${tilde(file, io)}\n`)
  }
  return 'ok'
}
