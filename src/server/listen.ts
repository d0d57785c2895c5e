import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { IonError } from '../platform/error.ts'
import type { ServerApp } from './app.ts'

export interface Listening {
  readonly port: number
  /** Closes every connection. */
  close(): Promise<void>
}

/** How many ports are tried after the requested one. */
const MAX_RETRIES = 50

/** Listens on that port, or with `mayMove` on the next free one. The app is created when the port is known. */
export async function listen(
  host: string,
  wanted: number,
  mayMove: boolean,
  createApp: (port: number) => ServerApp,
): Promise<Listening> {
  const server = createServer()
  const port = await bind(server, host, wanted, mayMove)
  const app = createApp(port)
  const handle = getRequestListener(app.app.fetch, { overrideGlobalObjects: false })
  server.on('request', (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    void handle(request, response)
  })
  server.on('clientError', (_, socket) => socket.destroy())
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        app.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bind(server: Server, host: string, wanted: number, mayMove: boolean): Promise<number> {
  for (let port = wanted; ; port++) {
    try {
      server.listen({ host, port, backlog: 4096 })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && mayMove && port < wanted + MAX_RETRIES && port < 65_535) continue
      throw new IonError('failed', `cannot listen on ${host} port ${port}: ${code}`, {
        cause: error,
        hint:
          code === 'EADDRINUSE' ? 'another program uses it: ion ps, or choose another --port' : 'choose another --port',
      })
    }
  }
}
