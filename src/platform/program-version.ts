import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ionHome } from './home.ts'
import { type Io, programEnvironment } from './io.ts'

const MAX_CACHED = 50
const TIMEOUT_MS = 4000
const VERSION = /\d+\.\d+\.\d+[\w.+-]*/

/**
 * The version of a program: from its npm package if it has one, else from `--version`, with a short timeout. Undefined if it
 * prints none. Running it takes up to seconds, so the result is cached until the program changes.
 */
export async function programVersion(program: string, io: Io): Promise<string | undefined> {
  const file = join(ionHome(io), 'programs.json')
  const stamp = programStamp(program)
  const cached = readCache(file)[stamp]
  if (typeof cached === 'string') return cached
  const version = packageVersion(program) ?? VERSION.exec(await outputOf(program, io))?.[0]
  // A program that did not answer in time may do so when the machine is less busy.
  if (version === undefined) return undefined
  // Read again: other versions may have been cached while this program ran.
  const others = Object.entries(readCache(file)).filter(([key]) => !key.startsWith(`${stamp.split(':')[0]}:`))
  try {
    const { replaceFile } = await import('./atomic-file.ts')
    replaceFile(file, JSON.stringify(Object.fromEntries([...others.slice(-MAX_CACHED), [stamp, version]])))
  } catch {
    // Asked again next time.
  }
  return version
}

/** Changes when the program is replaced. */
function programStamp(file: string): string {
  const { size, mtimeMs } = statSync(file)
  return `${realpathSync(file)}:${size}:${mtimeMs}`
}

function readCache(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return value && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
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

async function outputOf(file: string, io: Io): Promise<string> {
  // Loaded where it is needed: most versions are cached.
  const { execFile } = await import('node:child_process')
  const options = { env: programEnvironment(io), timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const }
  return new Promise((resolve) => {
    const child = execFile(file, ['--version'], options, (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`))
    child.stdin?.end()
  })
}
