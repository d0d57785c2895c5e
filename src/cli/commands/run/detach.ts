import { referenceTo, taskLabel } from '../../../host/label.ts'
import { ensureRunning, type StartOutcome } from '../../../host/start.ts'
import { type ExitKind, exitCodes } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { RunRequest } from '../../../run/request.ts'
import { refuseFirstStart } from '../../../run/run-task.ts'
import type { Context } from '../../command.ts'
import { reporterOf } from './execute.ts'

/** Starts the task in the background, unless it is already running there. */
export async function detach(request: RunRequest, context: Context): Promise<ExitKind | number> {
  const { io, out } = context
  const { notice } = reporterOf(request, context)
  await refuseFirstStart(request, io)
  const outcome = await ensureRunning(request, {
    program: process.argv[1]!,
    size: out.isTTY ? { columns: out.columns, rows: out.rows } : undefined,
    notice,
  })
  if (outcome.how === 'ended') return printFailedStart(request, outcome, context)
  const label = taskLabel(request.task)
  const reference = referenceTo(request.task, request.adopt?.head.id, io) ?? label
  out.write(`${WHAT[outcome.how]} ${label} (pid ${outcome.pid}): ion attach ${reference}, ion stop ${reference}\n`)
  if (outcome.how === 'started' && outcome.asks !== null) {
    notice(`waiting for you: ${request.agent.title} ${outcome.asks} (ion attach ${reference})`)
  }
  if (outcome.how === 'starting') {
    const missing = outcome.promptDue ? 'the prompt is not in its session yet' : 'it has printed nothing yet'
    notice(`${missing}; see ion ps and ion logs ${reference}`)
  }
  return 'ok'
}

const WHAT = { started: 'started', starting: 'still starting', running: 'already running' }

/** The agent ended before it was ready: its last lines say why. */
export function printFailedStart(
  request: RunRequest,
  { code, screen, promptDue }: StartOutcome & { how: 'ended' },
  context: Context,
): number {
  if (screen.trim() !== '') context.err.write(`${plain(screen)}\n`)
  const due = promptDue ? '; the prompt was not delivered, and the next start sends it' : ''
  reporterOf(request, context).notice(`${request.agent.title} ended at once with exit code ${code}${due}`)
  return promptDue && code === 0 ? exitCodes.failed.code : code
}
