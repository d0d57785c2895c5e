import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'e2e/**/*.test.ts', 'e2e/**/*.test.mjs', 'scripts/**/*.test.mjs'],
    // Every test runs in a scratch home; see src/testing/setup.ts, which refuses anything else.
    globalSetup: ['src/testing/global-setup.ts'],
    setupFiles: ['src/testing/setup.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
})
