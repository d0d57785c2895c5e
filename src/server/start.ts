import { startInBackground } from '../host/background-process.ts'
import { type FailedReport, reportedError } from '../host/start-report.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { waitUntil } from '../platform/wait.ts'
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

/** Starts a server in the background. Returns when it answers, or with the one that another start has just started. */
export async function startServer(
  options: StartServerOptions,
): Promise<
  | { readonly isNew: true; readonly port: number; readonly url: string }
  | { readonly isNew: false; readonly server: ServerEntry }
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
  // Another start at the same instant was faster, so that one counts. It registers as soon as it listens.
  const other = (): ServerEntry | undefined => serverOf(options.task.folder, options.io)
  if (report.kind === 'refused' && (await waitUntil(() => other() !== undefined, TIMEOUT_MS))) {
    return { isNew: false, server: other()! }
  }
  throw reportedError(report)
}
