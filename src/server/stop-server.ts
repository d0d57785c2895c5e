import { signalProcess, waitForExit } from '../platform/signal-process.ts'
import type { ServerEntry } from './registry.ts'

/** A server that has started its agent may take so long: it ends that first. */
const GRACE_MS = 5000
const AFTERMATH_MS = 2000

/** Ends a server: asks, waits, kills. Its agent, where it has started it, is to be stopped before. */
export async function stopServer(server: ServerEntry): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGTERM', GRACE_MS],
    ['SIGKILL', AFTERMATH_MS],
  ] as const) {
    signalProcess(server, signal)
    if (await waitForExit([server], withinMs)) return
  }
}
