import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'

/**
 * Where the real agents are kept between runs: never in the project and never in a dot folder of the home, since
 * nothing of the proof may touch either.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env, temporary: string = tmpdir()): string {
  if (env.ION_PROVE_CACHE) return resolve(env.ION_PROVE_CACHE)
  const xdg = env.XDG_CACHE_HOME
  if (xdg && !inDotFolderOfHome(xdg, env.HOME)) return join(xdg, 'ion-prove')
  return join(temporary, `ion-prove-${process.getuid?.() ?? 'user'}`)
}

function inDotFolderOfHome(folder: string, home: string | undefined) {
  return Boolean(home) && resolve(folder).startsWith(`${resolve(home as string)}${sep}.`)
}

/** The environment of npm, pip and Go: the machine's own settings, but everything they write goes into the cache. */
export function installerEnv(cache: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const tools = join(cache, 'tools')
  return {
    ...env,
    npm_config_cache: join(tools, 'npm'),
    npm_config_logs_dir: join(tools, 'npm', '_logs'),
    npm_config_update_notifier: 'false',
    PIP_CACHE_DIR: join(tools, 'pip'),
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    CGO_ENABLED: '0',
    GOPATH: join(tools, 'go'),
    GOMODCACHE: join(tools, 'go', 'mod'),
    GOCACHE: join(tools, 'go', 'build'),
    // Without it the module cache is read-only and nobody can remove the folder.
    GOFLAGS: [env.GOFLAGS, '-modcacherw'].filter(Boolean).join(' '),
  }
}

/** Go keeps its counters below the configuration folder, so that one is moved too; its settings file stays where it is. */
export function goEnv(cache: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const settings = env.GOENV ?? join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? '', '.config'), 'go', 'env')
  return { ...installerEnv(cache, env), GOENV: settings, XDG_CONFIG_HOME: join(cache, 'tools', 'go-config') }
}
