import { exitOnInternalError, receiveRequest, sendReport } from '../../host/background-process.ts'
import { writeNotice } from '../../host/log.ts'
import { failedReport } from '../../host/start-report.ts'
import type { ServerReport } from '../../server/start.ts'
import type { Run } from '../command.ts'
import type { serveProcess } from '../definitions/internal.ts'
import { endingSignal, type ServeConfig, startServing, stopServing } from './serve/serving.ts'

export const run: Run<typeof serveProcess> = async (_args, _options, { io }) => {
  const config = await receiveRequest<ServeConfig>('ion serve --detach')
  const log = (line: string): void => writeNotice(config.task.folder, io.now(), `serve: ${line}`)
  exitOnInternalError(log)
  try {
    const ending = endingSignal()
    const server = await startServing(config, io)
    sendReport({ type: 'listening', port: server.port, url: server.url } satisfies ServerReport)
    log(`listening at ${server.url}`)
    const signal = await ending
    await stopServing(config, server, io)
    log(`stopped by ${signal}`)
    return 'ok'
  } catch (error) {
    const report = failedReport(error)
    log(report.message)
    sendReport(report)
    return report.kind
  }
}
