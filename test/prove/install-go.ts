import { join } from 'node:path'
import { goEnv } from './cache-folder.ts'
import type { InstallRequest } from './install.ts'
import { runTool } from './run-tool.ts'

export async function newestInGo(pkg: string, cache: string): Promise<string> {
  const answer = await runTool('go', ['list', '-m', '-json', `${pkg}@latest`], { env: goEnv(cache), cwd: cache })
  return JSON.parse(answer).Version
}

/**
 * Downloads the module and builds it where it lies. `go install` would do both, but it also asks for the list of all
 * versions, which a proxy may refuse though it has this one.
 *
 * AgentAPI's chat page is not in its module (the release build adds it): everything works but that page.
 */
export async function installFromGo({ package: pkg, version, folder, cache, pin }: InstallRequest): Promise<string> {
  const env = goEnv(cache)
  const module = JSON.parse(
    await runTool('go', ['mod', 'download', '-json', `${pkg}@${version}`], { env, cwd: folder }),
  )
  const program = join(folder, 'bin', pin.program)
  await runTool('go', ['build', '-buildvcs=false', '-o', program, pin.binary ?? '.'], { env, cwd: module.Dir })
  return program
}
