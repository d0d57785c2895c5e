import type { Running } from './launch.ts'

/**
 * While the agent has the terminal, keys are its own: Ctrl-C reaches it from the terminal itself, and Ion stays to write
 * down how it ended. What is sent to Ion alone is passed on. Returns how to go back.
 */
export function forwardSignals(running: Running, isShared: boolean): () => void {
  const pass = (signal: NodeJS.Signals) => (): void => running.kill(signal)
  const ignore = (): void => {}
  const handlers: [NodeJS.Signals, () => void][] = [
    ['SIGTERM', pass('SIGTERM')],
    // A terminal that is closed tells only the leader of its session, and that may be Ion. A second one does no harm.
    ['SIGHUP', pass('SIGHUP')],
    ['SIGINT', isShared ? ignore : pass('SIGINT')],
    ['SIGQUIT', isShared ? ignore : pass('SIGQUIT')],
  ]
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}
