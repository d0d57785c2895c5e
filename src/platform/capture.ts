import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { messageOf } from './error.ts'
import { type Io, programEnvironment } from './io.ts'

/** The output of a command, or how it failed: `problem` is a predicate without the command's name. */
export type Captured =
  | { readonly stdout: string; readonly stderr: string }
  | { readonly problem: string; readonly stderr: string }

/** Runs a short command, killed after `timeoutMs`. Never through a shell. */
export function capture(file: string, args: readonly string[], io: Io, timeoutMs: number): Captured {
  const result = spawnSync(file, args, {
    env: programEnvironment(io),
    cwd: io.cwd,
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  })
  const stderr = result.stderr ?? ''
  if (!result.error && result.status === 0) return { stdout: result.stdout, stderr }
  return { problem: whyFailed(result, timeoutMs), stderr }
}

function whyFailed({ error, status, signal }: SpawnSyncReturns<string>, timeoutMs: number): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ETIMEDOUT') return `took longer than ${timeoutMs / 1000} s`
  if (error) return `could not be run: ${messageOf(error)}`
  return signal ? `was killed by ${signal}` : `failed with exit code ${status}`
}
