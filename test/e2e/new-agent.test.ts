import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = ['node_modules', 'dist', '.git']

test('a new agent of each store passes its suites as it is', { tags: ['deep'] }, () => {
  const copy = scratchFolder()
  for (const name of readdirSync(root).filter((entry) => !LEFT_OUT.includes(entry))) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const run = (file: string, ...args: string[]): string =>
    execFileSync(file, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // Without git, the formatter has no ignore file to look at.
  run('git', 'init', '-q')
  const ids = ['lines', 'json', 'sqlite'].map((store) => {
    run(process.execPath, '--import', 'tsx', 'scripts/new-agent.ts', `robot-${store}`, '--store', store)
    return `robot-${store}`
  })
  run('node_modules/.bin/tsc', '-p', '.')
  const folders = ids.map((id) => `src/agents/${id}`)
  const suites = ['src/vault/every-agent.test.ts', 'src/cli/commands/demo/samples.test.ts', 'test/prove/pins.test.ts']
  const report = run('node_modules/.bin/vitest', 'run', '--reporter=json', ...folders, ...suites)
  const { numFailedTests, numPassedTests } = JSON.parse(report.slice(report.indexOf('{'))) as Record<string, number>
  expect(numFailedTests).toBe(0)
  expect(numPassedTests).toBeGreaterThan(100)
})
