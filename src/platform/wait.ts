const INTERVAL_MS = 25

/** Polls until the condition holds; false if it does not within that time. */
export async function waitUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() >= end) return false
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
  return true
}

/** Blocks the thread: for the few places where everything else must wait too. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
