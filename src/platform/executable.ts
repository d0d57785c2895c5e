import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
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

/** Output of a short command, or undefined when it fails or takes longer than `timeoutMs`. Never through a shell. */
export function capture(file: string, args: readonly string[], io: Io, timeoutMs: number): string | undefined {
  const result = spawnSync(file, args, {
    env: io.env as NodeJS.ProcessEnv,
    cwd: io.cwd,
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  })
  if (result.error || result.status !== 0) return undefined
  return result.stdout
}
