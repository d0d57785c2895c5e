import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { TaskRow } from '../../src/host/tasks.ts'
import { livingProcess } from '../../src/platform/process.ts'
import { taskOf } from '../../src/run/task.ts'
import { ioOf, ledgerOf } from './fake-agent.ts'
import { claude, installFakeClaude } from './fake-claude.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow, type Window } from './terminal.ts'

export interface DetachWorld {
  readonly where: Machine
  readonly path: string
  readonly folder: string
  ion(...args: string[]): Promise<Outcome>
  ps(...args: string[]): Promise<TaskRow[]>
  attach(...args: string[]): Window
}

/** A machine with the fake agent; everything on it is stopped when the test ends. */
export function detachWorld(ionHome?: string): DetachWorld {
  const made = machine()
  const where = ionHome === undefined ? made : { ...made, ionHome: join(made.root, ionHome) }
  const path = installFakeClaude(where, 'tui-agent.mjs')
  const ion = (...args: string[]): Promise<Outcome> => runIon(where, args, { env: { PATH: path } })
  const ps = async (...args: string[]): Promise<TaskRow[]> =>
    (await ion('ps', '--json', ...args)).out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  onTestFinished(async () => {
    await ion('stop', '--all', '--grace', '0')
    expect(await ps()).toEqual([])
    expect(agentsAlive(where)).toEqual([])
  })
  const { folder } = taskOf(claude.id, where.home, 'main', ioOf(where))
  return { where, path, folder, ion, ps, attach: (...args) => ionWindow(where, ['attach', ...args], { path }) }
}

/** The agents' processes that the ledger knows and that live. */
export function agentsAlive(where: Machine): number[] {
  return ledgerOf(where, claude).flatMap((entry) =>
    entry.type === 'launched' && livingProcess(entry.process.pid)?.startTicks === entry.process.start
      ? [entry.process.pid]
      : [],
  )
}
