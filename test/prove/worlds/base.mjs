import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/**
 * The surroundings of one agent: a home of its own, made from nothing, in which it runs against the stub model with no
 * dialog, login, update or telemetry, and trusts the project.
 *
 * @typedef {object} Place
 * @property {string} root      scratch folder of this world; the home is made in it
 * @property {string} modelUrl  the stub model, possibly with a path of its own
 * @property {string} program   the agent, from the installer
 * @property {string} project   the folder that it works in
 *
 * @typedef {object} World
 * @property {string} home
 * @property {Record<string, string>} env  all of it; nothing is inherited
 * @property {string[]} files              what was written, absolute
 * @property {{ headless: string[], terminal: string[] }} args
 *   what a user adds after `--` so that tools run without asking
 */

/**
 * @param {Place} place
 * @param {{ env?: Record<string, string>, files?: Record<string, string | object>, args?: string[],
 *   terminalArgs?: string[] }} agent  `files` by their path in the home; an object is written as JSON
 * @returns {World}
 */
export function makeWorld({ root, program }, { env = {}, files = {}, args = [], terminalArgs = args }) {
  const home = join(root, 'home')
  const temporary = join(root, 'tmp')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const all = { '.gitconfig': GIT_CONFIG, ...files }
  const written = Object.entries(all).map(([name, content]) => writeInHome(home, name, content))
  return {
    home,
    env: { ...bareEnv(home, temporary, program), ...env },
    files: written,
    args: { headless: args, terminal: terminalArgs },
  }
}

/** Agents compare folders by their real path. @param {string} project */
export function trustedFolder(project) {
  return realpathSync(project)
}

/** A dummy that no service would take. */
export const KEY = 'sk-test'

const GIT_CONFIG = '[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n'

/** @param {string} home @param {string} temporary @param {string} program @returns {Record<string, string>} */
function bareEnv(home, temporary, program) {
  return {
    PATH: [dirname(program), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: temporary,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    USER: 'dev',
  }
}

/** @param {string} home @param {string} name @param {string | object} content */
function writeInHome(home, name, content) {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  return path
}
