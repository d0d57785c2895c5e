import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { messageOf } from './error.ts'
import type { Io } from './io.ts'

/** The first of `names` on the user's PATH, or undefined. Starts nothing. */
export function findExecutable(names: readonly string[], io: Io): string | undefined {
  const endings = io.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  for (const dir of (io.env.PATH ?? '').split(delimiter)) {
    if (!dir) continue
    for (const name of names) {
      for (const ending of endings) {
        const file = join(dir, name + ending)
        if (isExecutable(file)) return file
      }
    }
  }
  return undefined
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The output of a command, or how it failed: `problem` is a predicate without the command's name. */
export type Captured =
  | { readonly stdout: string; readonly stderr: string }
  | { readonly problem: string; readonly stderr: string }

/** Runs a short command, killed after `timeoutMs`. Never through a shell. */
export function capture(file: string, args: readonly string[], io: Io, timeoutMs: number): Captured {
  const result = spawnSync(file, args, {
    env: io.env as NodeJS.ProcessEnv,
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
