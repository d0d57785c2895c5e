import { expect, test } from 'vitest'
import { callSummary } from './call-summary.ts'

test.each([
  [{ description: 'Run the tests', command: 'npm test' }, 'npm test'],
  [{ command: ['git', 'status'], cwd: '/x' }, 'git status'],
  [{ absolute_path: '/a/b.ts' }, '/a/b.ts'],
  [{ path: ' ', pattern: '*.ts' }, '*.ts'],
  [{ limit: 3 }, '"limit": 3'],
  [{}, ''],
  ['raw text', 'raw text'],
  [null, 'null'],
])('%j', (input, summary) => {
  expect(callSummary(input)).toBe(summary)
})
