import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installerEnv } from './cache-folder.ts'
import type { InstallRequest } from './install.ts'
import { runTool } from './run-tool.ts'

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

export async function newestInNpm(pkg: string, cache: string): Promise<string> {
  return JSON.parse(await runTool('npm', ['view', pkg, 'version', '--json', ...QUIET], { env: installerEnv(cache) }))
}

/**
 * By explicit version, because npm quietly takes an older one when the newest asks for a newer Node.
 * No package's script runs, except the agent's own where the pin says why.
 */
export async function installFromNpm({ package: pkg, version, folder, cache, pin }: InstallRequest): Promise<string> {
  const env = installerEnv(cache)
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const here = ['--prefix', folder, ...QUIET]
  const strictness = ['--ignore-scripts', '--engine-strict=false', '--package-lock=false']
  await runTool('npm', ['install', `${pkg}@${version}`, ...here, ...strictness], { env, cwd: folder })
  if (pin.ownScript) await runTool('npm', ['rebuild', pkg, ...here, '--ignore-scripts=false'], { env, cwd: folder })
  const modules = join(folder, 'node_modules')
  return pin.binary ? join(modules, pkg, pin.binary) : join(modules, '.bin', pin.program)
}
