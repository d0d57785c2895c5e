import { spawn } from 'node:child_process'
import { exitCodes, IonError, messageOf } from '../platform/error.ts'

/** How a command of Ion is started in the background. */
export interface BackgroundCommand<Report> {
  /** The installed program, `ion.cjs`. */
  readonly program: string
  /** The internal command, which receives the request by `receiveRequest` and answers by `sendReport`. */
  readonly command: string
  /** Sent over IPC, not as an argument, which every user of the machine could read. */
  readonly request: object
  readonly timeoutMs: number
  /** Returns whether this is the last report; earlier ones are progress. */
  readonly isFinal: (report: Report) => boolean
  readonly onTimeout: () => IonError
  /** It ended without a final report. */
  readonly onExit: (how: string | number | null) => IonError
}

/** Starts a detached process in its own session that keeps nothing of ours open. Returns its final report. */
export async function startInBackground<Report>(
  background: BackgroundCommand<Report>,
): Promise<{ readonly report: Report; readonly pid: number }> {
  const { program, command, request, timeoutMs, isFinal, onTimeout, onExit } = background
  const child = spawn(process.execPath, [program, command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
  let timer: NodeJS.Timeout | undefined
  try {
    const final = new Promise<Report>((resolve, reject) => {
      timer = setTimeout(() => reject(onTimeout()), timeoutMs)
      child.on('message', (message) => {
        if (isFinal(message as Report)) resolve(message as Report)
      })
      child.once('error', reject)
      // Its last message may still be on the way.
      child.once('exit', (code, signal) => setImmediate(() => reject(onExit(signal ?? code))))
    })
    child.send(request, () => {})
    return { report: await final, pid: child.pid! }
  } finally {
    clearTimeout(timer)
    if (child.connected) child.disconnect()
    child.unref()
  }
}

/** In the background process: what it was started for. `example` is the command for users that starts it. */
export function receiveRequest<Request>(example: string): Promise<Request> {
  if (!process.send) throw new IonError('usage', 'this command is for internal use', { hint: example })
  return new Promise((resolve, reject) => {
    process.once('message', (request) => resolve(request as Request))
    process.once('disconnect', () => reject(new IonError('failed', 'the process that started this one is gone')))
  })
}

/** In the background process. The starter may be gone. After the final report nothing connects the two. */
export function sendReport(report: object, isFinal = true): void {
  if (!process.connected) return
  process.send?.(report, undefined, undefined, () => {
    if (isFinal && process.connected) process.disconnect()
  })
}

/** For a host: a bug of ours is no reason to take the agent down. */
export function surviveInternalErrors(log: (line: string) => void): void {
  process.on('uncaughtException', (error) => log(internalError(error)))
}

/** For a server: everything it needs is on disk, and the agent survives it, so a restart is safer than going on. */
export function exitOnInternalError(log: (line: string) => void, exit = process.exit): void {
  process.on('uncaughtException', (error) => {
    log(internalError(error))
    exit(exitCodes.failed.code)
  })
}

function internalError(error: Error): string {
  return `internal error: ${error.stack ?? messageOf(error)}`
}
