import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { until } from '../../test/support/wait-until.ts'
import { identityOf } from '../platform/process.ts'
import type { LedgerEntry } from './ledger.ts'
import { agentProcesses, processOfRun, RUN_VARIABLE, runningAgents } from './run-processes.ts'
import { taskState } from './task-state.ts'

test.skipIf(process.platform !== 'linux')(
  'distinguishes the processes of an agent from those of its tools',
  async () => {
    const folder = scratchFolder()
    const script = join(folder, 'my-agent')
    writeFileSync(script, 'setInterval(() => {}, 1000)')
    const start = (run: string, ...args: string[]): number => {
      const child = spawn(process.execPath, args, { env: { [RUN_VARIABLE]: run }, stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child.pid!
    }
    const waiting = start('run-1', script, '--resume', 'x')
    const working = start('run-1', '--max-old-space-size=100', script, '--resume', 'x')
    const tool = start('run-1', '-e', `setInterval(() => {}, 1000) // ${script} test`)
    start('run-2', script)
    await until(() =>
      expect(new Set(agentProcesses('run-1', 'my-agent').map(({ pid }) => pid))).toEqual(new Set([waiting, working])),
    )
    expect(agentProcesses('run-1', 'my-agent')).toContainEqual(identityOf(working))
    expect([waiting, working, tool]).toContain(processOfRun('run-1', 'my-agent')?.pid)
    expect([processOfRun('run-3', 'my-agent'), agentProcesses('run-3', 'my-agent')]).toEqual([undefined, []])
  },
)

test('an agent of a task that was restored from another home on this machine is not one of this home', () => {
  const at = '2026-11-18T02:00:00.000Z'
  const started = (run: string): LedgerEntry[] => [
    {
      type: 'planned',
      at,
      run,
      decision: 'warm',
      reason: '',
      way: 'headless',
      cwd: '/home/dev',
      args: [],
      session: 'n',
    },
    { type: 'launching', at, run, program: 'my-agent' },
    { type: 'launched', at, run, process: identityOf(process.pid) },
  ]
  const runsOf = (entries: readonly LedgerEntry[]): string[] =>
    runningAgents(taskState(entries)).map(({ run }) => run.run)
  const restored: LedgerEntry = { type: 'restored', at, run: 'restored' }
  expect(runsOf(started('there'))).toEqual(['there'])
  expect(runsOf([...started('there'), restored])).toEqual([])
  expect(runsOf([...started('there'), restored, ...started('here')])).toEqual(['here'])
})
