import { join } from 'node:path'
import { installerEnv } from './cache-folder.ts'
import type { InstallRequest } from './install.ts'
import { runTool } from './run-tool.ts'

/** Newest first; Aider's dependencies lag behind the newest Python. */
const PYTHONS = ['python3', 'python3.12', 'python3.11', 'python3.10']

export async function newestInPip(pkg: string, cache: string): Promise<string> {
  const env = installerEnv(cache)
  const answer = await runTool(await pythonWithVenv(env), ['-m', 'pip', 'index', 'versions', pkg], { env })
  const version = /\(([^)]+)\)/.exec(answer)?.[1]
  if (!version) throw new Error(`pip names no version of ${pkg}`)
  return version
}

/** A virtual environment of its own. Its scripts hold their absolute path, so it is made where it stays. */
export async function installFromPip({ package: pkg, version, folder, cache, pin }: InstallRequest): Promise<string> {
  const env = installerEnv(cache)
  const venv = join(folder, 'venv')
  await runTool(await pythonWithVenv(env), ['-m', 'venv', venv], { env })
  await runTool(join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `${pkg}==${version}`], { env })
  return join(venv, 'bin', pin.program)
}

async function pythonWithVenv(env: NodeJS.ProcessEnv) {
  const found = await firstPython(env)
  if (found) return found
  // Debian ships Python without it.
  if (process.getuid?.() === 0)
    await runTool('apt-get', ['install', '-y', '-qq', 'python3-venv'], { env }).catch(() => {})
  const now = await firstPython(env)
  if (!now) throw new Error('no Python 3.10 to 3.12 with venv on this machine')
  return now
}

async function firstPython(env: NodeJS.ProcessEnv) {
  const check = 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))'
  for (const python of PYTHONS) {
    const good = await runTool(python, ['-c', check], { env })
      .then(() => true)
      .catch(() => false)
    if (good) return python
  }
  return undefined
}
