import { type ExitKind, IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'
import { forwardSignals, interruptedExit, launch } from '../../../run/launch.ts'
import { followProject, resolveDoubt } from '../../../run/locate-task.ts'
import { planLine } from '../../../run/plan.ts'
import type { Choice, Launcher, RunReporter, RunRequest } from '../../../run/request.ts'
import { previewTask, runTask } from '../../../run/run-task.ts'
import { readTaskState } from '../../../run/session-record.ts'
import { isUntouched } from '../../../run/task-state.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'

export interface ExecuteOptions {
  readonly dryRun: boolean
  readonly json: boolean
  /** Stdin was consumed for the prompt. */
  readonly stdinFromTty: boolean
  /** Where the task is kept, if anywhere. */
  readonly replica?: ReplicaSettings | undefined
  /** The prompt asks to continue: a first prompt of that would make no sense. */
  readonly nudge?: boolean
}

/** Plans and runs a request. */
export async function execute(
  request: RunRequest,
  options: ExecuteOptions,
  context: Context,
): Promise<ExitKind | number> {
  if (options.json && !options.dryRun) {
    throw new IonError('usage', '--json needs --dry-run', { hint: `${request.command} --dry-run --json` })
  }
  if (options.dryRun) {
    if (options.replica) {
      const { previewStart } = await import('../../../replica/diagnose.ts')
      reporterOf(request, context).notice(await previewStart(request.task, options.replica, context.io))
    }
    return showPlan(request, options.json, context)
  }
  const reporter = reporterOf(request, context)
  const sure = await resolveDoubt(request, reporter)
  if (sure.steal) {
    const { stopPrevious } = await import('./stop-previous.ts')
    await stopPrevious(sure, context)
  }
  const followed = await followProject(sure, context.io, reporter)
  if (options.replica) {
    const { startReplica } = await import('./replica.ts')
    await startReplica(followed, options.replica, reporter.notice)
  }
  if (options.nudge && isUntouched(readTaskState(followed.task.folder))) {
    throw new IonError('not-found', 'this task was never started, so it cannot continue', {
      hint: `${followed.command} "what to do"`,
    })
  }
  try {
    return await start(options.replica ? { ...followed, isReplicated: true } : followed, options, context)
  } finally {
    if (options.replica && followed.mode !== 'detached') {
      const { finishReplica } = await import('./replica.ts')
      await finishReplica(followed.task.folder, reporter.notice)
    }
  }
}

async function start(request: RunRequest, options: ExecuteOptions, context: Context): Promise<ExitKind | number> {
  if (request.mode === 'detached') {
    const { detach } = await import('./detach.ts')
    return detach(request, context)
  }
  const launcher: Launcher = async (plan, onLine) => {
    const running = await launch(plan, context.io, onLine, options.stdinFromTty)
    const signals = forwardSignals(running, request.mode === 'terminal')
    // agentapi is a server: a signal is how it is stopped, and interrupts no turn that somebody waits for.
    const exit = running.exit.then((one) => (request.agentapi ? one : interruptedExit(one, signals.received)))
    return { ...running, exit: exit.finally(signals.restore) }
  }
  return runTask(request, context.io, reporterOf(request, context), launcher)
}

/** Ion's own messages go to stderr, so that stdout has only the answer. */
export function reporterOf({ agent, mode }: RunRequest, { out, err }: Context): RunReporter {
  const colours = palette(err)
  const canAsk = mode === 'terminal' && err.isTTY && process.stdin.isTTY
  return {
    notice: (line) => err.write(`${colours.faint(`ion: ${agent.id}: ${plain(line)}`)}\n`),
    output: (text) => out.write(text.endsWith('\n') ? text : `${text}\n`),
    ...(canAsk ? { confirm: ask, choose: askToChoose } : {}),
  }
}

/** Loaded on demand: questions are rare, and it would delay the start of the agent. */
async function ask(question: string, enter?: 'yes' | 'no'): Promise<boolean> {
  const { confirm } = await import('../../confirm.ts')
  return confirm(`ion: ${plain(question)}`, enter)
}

async function askToChoose(question: string, choices: readonly Choice[]): Promise<string | undefined> {
  const { choose } = await import('../../confirm.ts')
  return choose(
    `ion: ${plain(question)}`,
    choices.map(({ key, label }) => ({ key, label: plain(label) })),
  )
}

async function showPlan(request: RunRequest, json: boolean, { io, out }: Context): Promise<ExitKind> {
  const { decision, composed } = await previewTask(request, io)
  if (json) {
    const base = { agent: request.agent.id, task: request.task.name, project: request.task.project }
    out.write(
      `${toJsonText(composed ? composed.plan : { ...base, ...withoutBodies(decision), prompt: { action: 'skip' } })}\n`,
    )
  } else if (decision.decision === 'refused') {
    const asks = request.mode === 'terminal' && decision.code !== undefined
    out.write(`${plain(`${asks ? 'asks first' : 'refused'}: ${decision.reason}\n  -> ${decision.hint}`)}\n`)
  } else if (!composed) {
    out.write(`${plain(`nothing to start: ${decision.reason}`)}\n`)
  } else {
    const { plan } = composed
    const lines = [
      planLine(plan),
      ...plan.notes,
      ...plan.dialogs.map(({ asks }) => `waiting for you: ${request.agent.title} ${asks}`),
    ]
    out.write(`${lines.map(plain).join('\n')}\n`)
    out.write(`in ${plain(plan.cwd)}:\n  ${shellLine(plan.argv)}\n`)
  }
  return decision.decision === 'refused' ? decision.kind : 'ok'
}

function withoutBodies(decision: object): object {
  const { session, ...others } = decision as { session?: { head: { id: string; native_id: string } } }
  return session ? { ...others, session_id: session.head.id, native_id: session.head.native_id } : others
}
