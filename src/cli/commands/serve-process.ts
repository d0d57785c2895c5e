import { serveInBackground } from '../../host/background-server.ts'
import { writeNotice } from '../../host/log.ts'
import type { ServerReport } from '../../server/start.ts'
import type { Run } from '../command.ts'
import type { serveProcess } from '../definitions/internal.ts'
import { type ServeConfig, startServing, stopServing } from './serve/serving.ts'

export const run: Run<typeof serveProcess> = (_args, _options, { io }) =>
  serveInBackground<ServeConfig>({
    example: 'ion serve --detach',
    log: ({ task }, line) => writeNotice(task.folder, io.now(), `serve: ${line}`),
    async start(config) {
      const server = await startServing(config, io)
      const { port, url } = server
      const report: ServerReport = { type: 'listening', port, url }
      return { url, report, close: () => stopServing(config, server, io) }
    },
  })
