import { loadAgent } from '../../agents/load.ts'
import { receiveRequest, sendReport } from '../../host/background-process.ts'
import { runHost } from '../../host/host.ts'
import type { HostRequest } from '../../host/start.ts'
import type { Run } from '../command.ts'
import type { host } from '../definitions/internal.ts'

/** What is still open after the agent has ended must not keep the process alive. */
const EXIT_MS = 2000

export const run: Run<typeof host> = async (_args, _options, { io }) => {
  const { request, size } = await receiveRequest<HostRequest>('ion run --detach')
  const code = await runHost({
    request: { ...request, agent: await loadAgent(request.agent) },
    size,
    io,
    report: (report) => sendReport(report, report.type !== 'notice'),
  })
  setTimeout(() => process.exit(code), EXIT_MS).unref()
  return code
}
