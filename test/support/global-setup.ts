import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { agents } from '../../src/agents/_registry.ts'
import { realIo } from '../../src/platform/io.ts'
import { cacheFolder } from '../prove/cache-folder.ts'

/** Sets up a scratch home for the whole run, and builds the program once for the tests that start it. */
export function setup(): () => void {
  const root = mkdtempSync(join(tmpdir(), 'ion-test-'))
  const home = join(root, 'home')
  mkdirSync(home)
  for (const name of dataVariables(home)) delete process.env[name]
  // What takes minutes to install is not in the scratch folders of one run.
  process.env.ION_PROVE_CACHE = cacheFolder()
  process.env.HOME = home
  process.env.ION_TEST_HOME = home
  process.env.ION_HOME = join(root, 'ion')
  for (const name of ['DATA', 'CONFIG', 'STATE', 'CACHE'])
    process.env[`XDG_${name}_HOME`] = join(root, name.toLowerCase())
  process.env.GIT_CONFIG_GLOBAL = '/dev/null'
  // Not in dist/, so that two runs do not interfere; below node_modules, so that packages are found.
  mkdirSync('node_modules/.cache', { recursive: true })
  const built = resolve(mkdtempSync('node_modules/.cache/ion-test-'))
  chmodSync(built, 0o755)
  process.env.ION_TEST_DIST = join(built, 'dist')
  const build = ['--import', 'tsx', 'scripts/build.ts', process.env.ION_TEST_DIST]
  execFileSync(process.execPath, build, { stdio: ['ignore', 'ignore', 'inherit'] })
  return () => {
    for (const folder of [root, built]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Every variable that an adapter looks at to find its data: it could lead a reader out of the scratch home. */
function dataVariables(home: string): Set<string> {
  const names = new Set<string>()
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => void names.add(String(name)),
    },
  )
  const io = { ...realIo(), env, home, cwd: home }
  for (const agent of agents) agent.paths(io)
  return names
}
