import { startInBackground } from '../../../host/background-process.ts'
import { type FailedReport, reportedError } from '../../../host/start-report.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { signalProcess, waitForExit } from '../../../platform/process.ts'
import { waitUntil } from '../../../platform/wait.ts'
import { runningWeb } from '../../../server/browse/registry.ts'
import { requestLink } from '../../../server/browse/serve-web.ts'
import type { Context } from '../../command.ts'
import type { WebConfig, WebReport } from './serving.ts'

const TIMEOUT_MS = 20_000
const GRACE_MS = 5000

/** Starts the server in the background. Returns when it answers, or with the one that another start has just started. */
export async function startDetached(
  config: WebConfig,
  { io }: Context,
): Promise<{ readonly url: string; readonly token: string }> {
  const failed = (what: string): IonError => new IonError('failed', `ion web ${what}`, { hint: 'ion web' })
  const { report } = await startInBackground<WebReport | FailedReport>({
    program: process.argv[1]!,
    command: 'web-process',
    request: config,
    timeoutMs: TIMEOUT_MS,
    isFinal: () => true,
    onTimeout: () => failed(`has not answered within ${TIMEOUT_MS / 1000} seconds`),
    onExit: (how) => failed(`ended before it answered (${how})`),
  })
  if (report.type === 'listening') return report
  if (report.kind === 'refused' && (await waitUntil(() => runningWeb(io) !== undefined, TIMEOUT_MS))) {
    const { url } = runningWeb(io)!
    return { url, token: await requestLink(url, io) }
  }
  throw reportedError(report)
}

export async function stopWeb({ io, out }: Context): Promise<ExitKind> {
  const running = runningWeb(io)
  if (!running) {
    out.write('ion web is not running\n')
    return 'ok'
  }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalProcess(running, signal)
    if (await waitForExit([running], GRACE_MS)) break
  }
  out.write(`stopped ${running.url}\n`)
  return 'ok'
}
