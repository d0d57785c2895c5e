import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'

/**
 * Where the real agents are kept between runs: never in the project and never in a dot folder of the home, since
 * nothing of the proof may touch either.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} temporary
 * @returns {string}
 */
export function cacheFolder(env = process.env, temporary = tmpdir()) {
  if (env.ION_PROVE_CACHE) return resolve(env.ION_PROVE_CACHE)
  const xdg = env.XDG_CACHE_HOME
  if (xdg && !inDotFolderOfHome(xdg, env.HOME)) return join(xdg, 'ion-prove')
  return join(temporary, `ion-prove-${process.getuid?.() ?? 'user'}`)
}

/** @param {string} folder @param {string | undefined} home */
function inDotFolderOfHome(folder, home) {
  return Boolean(home) && resolve(folder).startsWith(`${resolve(/** @type {string} */ (home))}${sep}.`)
}

/**
 * The environment of npm, pip and Go: the machine's own settings, but everything they write goes into the cache.
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function installerEnv(cache, env = process.env) {
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

/**
 * Go keeps its counters below the configuration folder, so that one is moved too; its settings file stays where it is.
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function goEnv(cache, env = process.env) {
  const settings = env.GOENV ?? join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? '', '.config'), 'go', 'env')
  return { ...installerEnv(cache, env), GOENV: settings, XDG_CONFIG_HOME: join(cache, 'tools', 'go-config') }
}
