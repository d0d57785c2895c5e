import { vi } from 'vitest'

/** Waits until a check holds, however slow the machine is. */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 20 })
