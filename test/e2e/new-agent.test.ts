import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = ['node_modules', 'dist', '.git']

/** What is used of vitest's JSON report. */
interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

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
  const { stdout } = spawnSync('node_modules/.bin/vitest', ['run', '--reporter=json', ...folders, ...suites], {
    cwd: copy,
    encoding: 'utf8',
    // In CI vitest would not write the golden plans of the new agents.
    env: { ...process.env, CI: '' },
    maxBuffer: 1e8,
  })
  const { testResults, numPassedTests } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) =>
    assertionResults.length === 0 && status === 'failed'
      ? [`${name}: ${message}`]
      : assertionResults.flatMap((one) => (one.status === 'failed' ? [`${one.fullName}: ${one.failureMessages}`] : [])),
  )
  expect(failed).toEqual([])
  expect(numPassedTests).toBeGreaterThan(100)
})
