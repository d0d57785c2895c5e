import { existsSync, renameSync, writeFileSync } from 'node:fs'
import type { Io } from '../../src/platform/io.ts'
import { leaseHolder } from '../../src/platform/lease.ts'
import { sleepSync } from '../../src/platform/wait.ts'

/** The steps of one turn, in order. At each of them a test can kill the fake agent. */
export const steps = ['started', 'created', 'torn', 'prompted', 'answering', 'answered', 'ending'] as const
export type Step = (typeof steps)[number]

/**
 * Kills the fake agent, its parent process or both (`ION_FAKE_KILL`) at the step `ION_FAKE_DIE_AT`, and first the process
 * that holds the lease `ION_FAKE_KILL_HOLDER`. Only once: the file `ION_FAKE_DIED` records that it happened.
 */
export function reach(step: Step, { env }: Io): void {
  hold(step, env)
  if (env.ION_FAKE_DIE_AT !== step || hasDied(env.ION_FAKE_DIED)) return
  if (env.ION_FAKE_DIED) writeFileSync(env.ION_FAKE_DIED, step)
  const holder = env.ION_FAKE_KILL_HOLDER && leaseHolder(env.ION_FAKE_KILL_HOLDER)
  if (holder) process.kill(holder.pid, 'SIGKILL')
  const whom = env.ION_FAKE_KILL ?? 'agent'
  if (whom !== 'agent') process.kill(process.ppid, 'SIGKILL')
  if (whom !== 'ion') process.kill(process.pid, 'SIGKILL')
}

const POLL_MS = 10

/**
 * Waits at the step that a test names for as long as the file that it names exists, and reports its pid in a file beside
 * it. That file is renamed into place, so that a test never finds it empty.
 */
function hold(step: Step, env: Io['env']): void {
  const file = env.ION_FAKE_HOLD
  if (env.ION_FAKE_HOLD_AT !== step || !file || !existsSync(file)) return
  writeFileSync(`${file}.reaching`, String(process.pid))
  renameSync(`${file}.reaching`, `${file}.reached`)
  while (existsSync(file)) sleepSync(POLL_MS)
}

/** Whether the next write must be torn. */
export function isTearing({ env }: Io): boolean {
  return env.ION_FAKE_DIE_AT === 'torn' && !hasDied(env.ION_FAKE_DIED)
}

function hasDied(file: string | undefined): boolean {
  return file !== undefined && existsSync(file)
}
