import { serveInBackground } from '../../host/background-server.ts'
import { appendLines } from '../../platform/atomic-file.ts'
import { webLog } from '../../server/browse/registry.ts'
import type { Run } from '../command.ts'
import type { webProcess } from '../definitions/internal.ts'
import { startWeb, type WebConfig, type WebReport } from './web/serving.ts'

export const run: Run<typeof webProcess> = (_args, _options, { io }) => {
  const log = (line: string): void => appendLines(webLog(io), [`${io.now().toISOString()} ${line}`])
  return serveInBackground<WebConfig>({
    example: 'ion web --detach',
    log: (_config, line) => log(line),
    async start(config) {
      const server = await startWeb(config, io, log)
      const report: WebReport = { type: 'listening', url: server.url, token: server.link() }
      return { url: server.url, report, close: () => server.close() }
    },
  })
}
