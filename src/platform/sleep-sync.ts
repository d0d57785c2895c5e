/** Waits without giving the event loop a turn: for the few places where everything else must wait too. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
