import { join } from 'node:path'
import { exitOnInternalError, receiveRequest, sendReport } from '../../host/background-process.ts'
import { failedReport } from '../../host/start-report.ts'
import { appendLines } from '../../platform/atomic-file.ts'
import { webHome } from '../../server/browse/registry.ts'
import type { Run } from '../command.ts'
import type { webProcess } from '../definitions/internal.ts'
import { endingSignal } from './serve/serving.ts'
import { startWeb, type WebConfig, type WebReport } from './web/serving.ts'

export const run: Run<typeof webProcess> = async (_args, _options, { io }) => {
  const config = await receiveRequest<WebConfig>('ion web --detach')
  const log = (line: string): void => appendLines(join(webHome(io), 'web.log'), [`${io.now().toISOString()} ${line}`])
  exitOnInternalError(log)
  try {
    const ending = endingSignal()
    const server = await startWeb(config, io, log)
    sendReport({ type: 'listening', url: server.url, token: server.link() } satisfies WebReport)
    await ending
    await server.close()
    return 'ok'
  } catch (error) {
    const report = failedReport(error)
    log(report.message)
    sendReport(report)
    return report.kind
  }
}
