import { readFileSync } from 'node:fs'

/**
 * @typedef {object} Pin
 * @property {'npm' | 'pip' | 'go'} from
 * @property {string} package      with `{os}` and `{cpu}` where each platform has its own package
 * @property {string} program      the command's name
 * @property {string[]} versions   all are proven; the first is the one that is meant when none is named
 * @property {string} [binary]     path in the package, where it declares no command of that name
 * @property {string} [ownScript]  why the package's own install script must run; no other script runs
 * @property {boolean} [frozen]    a build kept for its age: `--latest` does not move it
 */

/** @typedef {{ unavailable: string }} Unavailable */

/** @type {Record<string, Pin | Unavailable>} */
const pins = JSON.parse(readFileSync(new URL('pins.json', import.meta.url), 'utf8'))

/** Names in the order of the file. @returns {string[]} */
export function agentNames() {
  return Object.keys(pins)
}

/**
 * @param {string} name
 * @returns {Pin | Unavailable}
 */
export function pinOf(name) {
  const pin = pins[name]
  if (!pin) throw new Error(`no agent ${name} in pins.json; there are ${agentNames().join(', ')}`)
  return pin
}

/**
 * The versions to prove; `undefined` stands for the newest there is.
 * @param {string} name
 * @param {{ latest?: boolean }} [options]
 * @returns {(string | undefined)[]}
 */
export function versionsToProve(name, { latest = false } = {}) {
  const pin = pinOf(name)
  if ('unavailable' in pin) return []
  return latest && !pin.frozen ? [undefined] : pin.versions
}

/**
 * @param {Pin} pin
 * @param {{ platform?: string, arch?: string }} [machine]
 * @returns {string}
 */
export function packageName(pin, { platform = process.platform, arch = process.arch } = {}) {
  return pin.package.replace('{os}', platform).replace('{cpu}', arch)
}

/**
 * One line for the report of `--latest`; nothing when the version is pinned.
 * @param {string} name
 * @param {string} version
 * @returns {string | undefined}
 */
export function changeAgainstPins(name, version) {
  const pin = pinOf(name)
  if ('unavailable' in pin || pin.versions.includes(version)) return undefined
  return `${name}: ${pin.versions[0]} is pinned, ${version} is the newest`
}
