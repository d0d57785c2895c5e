import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { IonError } from '../platform/error.ts'
import type { ServerApp } from './app.ts'

export interface Listening {
  readonly port: number
  /** Ends every connection. */
  close(): Promise<void>
}

/** So many ports are tried after the usual one. */
const MOST_TRIES = 50

/** Listens on that port, or where `mayMove` on the next one that is free. The app is made when the port is known. */
export async function listen(
  host: string,
  wanted: number,
  mayMove: boolean,
  makeApp: (port: number) => ServerApp,
): Promise<Listening> {
  const server = createServer()
  const port = await bind(server, host, wanted, mayMove)
  const served = makeApp(port)
  const answer = getRequestListener(served.app.fetch, { overrideGlobalObjects: false })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    void answer(request, response)
  })
  server.on('clientError', (_, socket) => socket.destroy())
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        served.close()
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

async function bind(server: Server, host: string, wanted: number, mayMove: boolean): Promise<number> {
  for (let port = wanted; ; port++) {
    try {
      return await tryPort(server, host, port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && mayMove && port < wanted + MOST_TRIES && port < 65_535) continue
      throw new IonError('failed', `cannot listen on ${host} port ${port}: ${code}`, {
        cause: error,
        hint:
          code === 'EADDRINUSE' ? 'another program has it: ion ps, or choose another --port' : 'choose another --port',
      })
    }
  }
}

function tryPort(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
