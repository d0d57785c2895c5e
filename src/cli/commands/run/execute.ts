import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { forwardSignals } from '../../../run/forward-signals.ts'
import { launch } from '../../../run/launch.ts'
import { planLine } from '../../../run/plan.ts'
import type { Launcher, RunReporter, RunRequest } from '../../../run/request.ts'
import { previewTask, runTask } from '../../../run/run-task.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'

export interface HowToRun {
  readonly dryRun: boolean
  readonly json: boolean
  /** Stdin was used up for the prompt. */
  readonly stdinFromTty: boolean
}

/** Plans and runs a request in the way it asks for. */
export async function execute(request: RunRequest, how: HowToRun, context: Context): Promise<ExitKind | number> {
  if (how.json && !how.dryRun) {
    throw new IonError('usage', '--json goes with --dry-run', { hint: `${request.command} --dry-run --json` })
  }
  if (how.dryRun) return showPlan(request, how.json, context)
  if (request.steal) {
    const { endEarlier } = await import('./stop-previous.ts')
    await endEarlier(request, context)
  }
  if (request.way === 'detached') {
    const { detach } = await import('./detach.ts')
    return detach(request, context)
  }
  const launcher: Launcher = async (plan, onLine) => {
    const running = await launch(plan, context.io, onLine, how.stdinFromTty)
    const giveBack = forwardSignals(running, request.way === 'terminal')
    return { ...running, exit: running.exit.finally(giveBack) }
  }
  return runTask(request, context.io, voiceOf(request, context), launcher)
}

/** Ion's own words go to stderr, so that the answer is alone on stdout. */
export function voiceOf({ agent, way }: RunRequest, { out, err }: Context): RunReporter {
  const colours = palette(err)
  const canAsk = way === 'terminal' && err.isTTY && process.stdin.isTTY
  return {
    notice: (line) => err.write(`${colours.faint(`ion: ${agent.id}: ${plain(line)}`)}\n`),
    output: (text) => out.write(text.endsWith('\n') ? text : `${text}\n`),
    ...(canAsk ? { confirm: ask } : {}),
  }
}

/** Loaded only when there is something to ask, which is rare, and before the agent starts every millisecond counts. */
async function ask(question: string): Promise<boolean> {
  const { confirm: askYes } = await import('../../confirm.ts')
  return askYes(`ion: ${plain(question)}`)
}

async function showPlan(request: RunRequest, json: boolean, { io, out }: Context): Promise<ExitKind> {
  const { verdict, composed } = await previewTask(request, io)
  if (json) {
    const base = { agent: request.agent.id, task: request.task.name, project: request.task.project }
    out.write(`${JSON.stringify(composed ? composed.plan : { ...base, ...withoutBodies(verdict) })}\n`)
  } else if (!composed) {
    out.write(`${plain(`${verdict.decision} (${verdict.reason})`)}\n`)
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
  return verdict.decision === 'refused' ? verdict.kind : 'ok'
}

function withoutBodies(verdict: object): object {
  const { session, ...others } = verdict as { session?: { head: { id: string; native_id: string } } }
  return session ? { ...others, session_id: session.head.id, native_id: session.head.native_id } : others
}
