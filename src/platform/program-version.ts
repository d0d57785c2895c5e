import { execFile } from 'node:child_process'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Io } from './io.ts'

const TIMEOUT_MS = 4000
const VERSION = /\d+\.\d+\.\d+[\w.+-]*/

/**
 * The version of a program: from its npm package if it has one, else from `--version`, with a short timeout. Undefined if it
 * prints none.
 */
export async function programVersion(file: string, io: Io): Promise<string | undefined> {
  return packageVersion(file) ?? VERSION.exec(await outputOf(file, io))?.[0]
}

/** Changes when the program is replaced: the key for caching its version. */
export function programStamp(file: string): string {
  const { size, mtimeMs } = statSync(file)
  return `${realpathSync(file)}:${size}:${mtimeMs}`
}

/** An npm program is a link into its package; a plain binary is not. */
function packageVersion(file: string): string | undefined {
  const real = realpathSync(file)
  if (!real.includes(`${join('/', 'node_modules')}/`)) return undefined
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown }
      if (typeof version === 'string') return version
    } catch {
      // Not the package's root.
    }
  }
  return undefined
}

function outputOf(file: string, io: Io): Promise<string> {
  const options = { env: io.env as NodeJS.ProcessEnv, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const }
  return new Promise((resolve) => {
    const child = execFile(file, ['--version'], options, (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`))
    child.stdin?.end()
  })
}
