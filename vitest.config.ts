import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Slow and exhaustive: left out of `npm test`, run by `npm run test:deep` and by CI.
    tags: [{ name: 'deep', description: 'exhaustive: kills at each operation, attacks, huge files, other programs' }],
    // Every test runs in a scratch home; see test/support/setup.ts, which refuses anything else.
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Many tests wait for other programs: with one more than two, two cores are busy (4:02 became 3:08 minutes).
    maxWorkers: Math.max(3, availableParallelism()),
    // Only for what hangs: waits within a test have deadlines of their own, and machines are busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
