import { startInBackground } from '../host/background-process.ts'
import type { FailedReport } from '../host/start-report.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Task } from '../run/task.ts'
import { type ServerEntry, serverOf } from './registry.ts'

/** What a server reports to the process that started it. */
export type ServerReport = { readonly type: 'listening'; readonly port: number; readonly url: string } | FailedReport

export interface StartServerOptions {
  readonly task: Task
  /** The installed program, `ion.cjs`: its command `serve-process` is the server. */
  readonly program: string
  /** For that command. */
  readonly config: object
  readonly io: Io
}

const TIMEOUT_MS = 20_000
const POLL_MS = 50

/** Starts a server in the background. Returns when it answers, or with the one that another start has just started. */
export async function startServer(
  options: StartServerOptions,
): Promise<
  | { readonly isNew: true; readonly port: number; readonly url: string }
  | { readonly isNew: false; readonly url: string }
> {
  const { program, config } = options
  const failed = (what: string): IonError => new IonError('failed', `the server ${what}`, { hint: 'ion ps' })
  const { report } = await startInBackground<ServerReport>({
    program,
    command: 'serve-process',
    request: config,
    timeoutMs: TIMEOUT_MS,
    isFinal: () => true,
    onTimeout: () => failed(`has not answered within ${TIMEOUT_MS / 1000} seconds`),
    onExit: (how) => failed(`ended before it answered (${how})`),
  })
  if (report.type === 'listening') return { isNew: true, port: report.port, url: report.url }
  // Another start at the same instant was faster, so that one counts.
  const other = report.kind === 'refused' ? await untilServed(options) : undefined
  if (other) return { isNew: false, url: other.url }
  throw new IonError(report.kind, report.message, report.hint === undefined ? {} : { hint: report.hint })
}

/** The other server has the task, and registers as soon as it listens. */
async function untilServed({ task, io }: StartServerOptions): Promise<ServerEntry | undefined> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const server = serverOf(task.folder, io)
    if (server || performance.now() > deadline) return server
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
