import { referenceTo, taskLabel } from '../../../host/label.ts'
import { ensureRunning, type StartOutcome } from '../../../host/start.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { RunRequest } from '../../../run/request.ts'
import type { Context } from '../../command.ts'
import { reporterOf } from './execute.ts'

/** Starts the task in the background, unless it is already running there. */
export async function detach(request: RunRequest, context: Context): Promise<ExitKind | number> {
  const { io, out } = context
  const outcome = await ensureRunning(request, {
    program: process.argv[1]!,
    size: out.isTTY ? { columns: out.columns, rows: out.rows } : undefined,
    notice: reporterOf(request, context).notice,
  })
  if (outcome.how === 'ended') return printFailedStart(request, outcome, context)
  const label = taskLabel(request.task)
  const what = outcome.how === 'started' ? 'started' : 'already running'
  const reference = referenceTo(request.task, request.adopt?.head.id, io) ?? label
  out.write(`${what} ${label} (pid ${outcome.pid}): ion attach ${reference}, ion stop ${reference}\n`)
  return 'ok'
}

/** The agent ended at once: its screen says why. */
export function printFailedStart(
  request: RunRequest,
  { code, screen }: StartOutcome & { how: 'ended' },
  context: Context,
): number {
  if (screen.trim() !== '') context.err.write(`${plain(screen)}\n`)
  reporterOf(request, context).notice(`${request.agent.title} ended at once with exit code ${code}`)
  return code
}
