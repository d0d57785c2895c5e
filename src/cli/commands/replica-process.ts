import { loadAgent } from '../../agents/load.ts'
import { receiveRequest, sendReport } from '../../host/background-process.ts'
import { failedReport } from '../../host/start-report.ts'
import { exitCodes } from '../../platform/error.ts'
import { replicate } from '../../replica/replicate.ts'
import type { Run } from '../command.ts'
import type { replicaProcess } from '../definitions/internal.ts'
import type { ReplicaProcessRequest, ReplicaReport } from './run/replica.ts'

/** What is still open when there is nothing more to do must not keep the process alive. */
const EXIT_MS = 500

export const run: Run<typeof replicaProcess> = async (_args, _options, { io }) => {
  // Before anything else: whoever started this one may end it at once.
  const ending = new AbortController()
  process.on('SIGTERM', () => ending.abort())
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const { agent, ...request } = await receiveRequest<ReplicaProcessRequest>('ion run --replica')
  const report = (one: ReplicaReport, isFinal = true): void => sendReport(one, isFinal)
  try {
    await replicate(request, await loadAgent(agent), io, {
      notice: (line) => report({ type: 'notice', line }, false),
      ready: () => report({ type: 'ready' }),
      ending: ending.signal,
    })
    // Also when a request is still on its way.
    setTimeout(() => process.exit(exitCodes.ok.code), EXIT_MS).unref()
    return 'ok'
  } catch (error) {
    const failed = failedReport(error)
    report(failed)
    return failed.kind
  }
}
