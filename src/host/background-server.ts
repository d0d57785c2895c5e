import type { ExitKind } from '../platform/error.ts'
import { exitOnInternalError, receiveRequest, sendReport } from './background-process.ts'
import { failedReport } from './start-report.ts'

/** A server that runs in a process of its own. */
export interface BackgroundServer<Request> {
  /** The command for users that starts it. */
  readonly example: string
  /** Where its lines go: nobody sees its output. */
  readonly log: (request: Request, line: string) => void
  readonly start: (request: Request) => Promise<StartedServer>
}

export interface StartedServer {
  readonly url: string
  /** For the process that started this one. */
  readonly report: object
  close(): Promise<void>
}

/** In the background process: serves until a signal comes. */
export async function serveInBackground<Request>(server: BackgroundServer<Request>): Promise<ExitKind> {
  const request = await receiveRequest<Request>(server.example)
  const log = (line: string): void => server.log(request, line)
  exitOnInternalError(log)
  try {
    const ending = endingSignal()
    const { url, report, close } = await server.start(request)
    sendReport(report)
    log(`listening at ${url}`)
    const signal = await ending
    await close()
    log(`stopped by ${signal}`)
    return 'ok'
  } catch (error) {
    const report = failedReport(error)
    log(report.message)
    sendReport(report)
    return report.kind
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']

/**
 * The first signal that ends a server. Called before the server starts: whoever reads its address or its pid file may send
 * one at once, and without a handler it would kill this process before it has stopped its agent.
 */
export function endingSignal(): Promise<NodeJS.Signals> {
  // Scripts for agentapi send this signal to save the state, which is saved anyway; without a handler Node would start its debugger.
  if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
  return new Promise((resolve) => {
    for (const name of SIGNALS) process.on(name, () => resolve(name))
  })
}
