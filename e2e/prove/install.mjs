import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.mjs'
import { withFolderLock } from './folder-lock.mjs'
import { installFromGo, newestInGo } from './install-go.mjs'
import { installFromNpm, newestInNpm } from './install-npm.mjs'
import { installFromPip, newestInPip } from './install-pip.mjs'
import { packageName, pinOf } from './pins.mjs'

/**
 * @typedef {object} Installed
 * @property {string} program  path of the command, in a folder that holds nothing else
 * @property {string} version
 * @property {number} bytes    on disk, hard links counted once
 */

/** @typedef {{ package: string, version: string, folder: string, cache: string, pin: import('./pins.mjs').Pin }} Order */

const sources = {
  npm: { newest: newestInNpm, install: installFromNpm },
  pip: { newest: newestInPip, install: installFromPip },
  go: { newest: newestInGo, install: installFromGo },
}

/**
 * The agent's program, from the cache or freshly installed. What cannot be had is an answer, not an error.
 * @param {string} name
 * @param {{ version?: string, latest?: boolean, cache?: string, log?: (line: string) => void }} [options]
 * @returns {Promise<Installed | import('./pins.mjs').Unavailable>}
 */
export async function installAgent(name, { version, latest = false, cache = cacheFolder(), log = () => {} } = {}) {
  const pin = pinOf(name)
  if ('unavailable' in pin) return pin
  const source = sources[pin.from]
  const pkg = packageName(pin)
  try {
    const pinned = version ?? pin.versions[0] ?? ''
    const wanted = latest && !version && !pin.frozen ? await source.newest(pkg, cache) : pinned
    const folder = join(cache, `${name}-${wanted}`)
    const order = { package: pkg, version: wanted, folder, cache, pin }
    return (await installedIn(folder)) ?? (await installLocked(order, source.install, log))
  } catch (error) {
    return { unavailable: /** @type {Error} */ (error).message }
  }
}

/**
 * @param {Order} order
 * @param {(order: Order) => Promise<string>} install  fills the folder and returns the path of the program in it
 * @param {(line: string) => void} log
 */
async function installLocked(order, install, log) {
  const { folder, pin, version } = order
  await mkdir(order.cache, { recursive: true })
  return withFolderLock(`${folder}.lock`, async () => {
    const ready = await installedIn(folder)
    if (ready) return ready
    log(`installing ${order.package} ${version}`)
    // A folder without its mark is what a killed install left.
    await rm(folder, { recursive: true, force: true })
    await mkdir(join(folder, 'bin'), { recursive: true })
    const target = await install(order)
    const program = join(folder, 'bin', pin.program)
    if (target !== program) await symlink(target, program)
    await stat(program)
    return markInstalled(folder, { program, version, bytes: await bytesOnDisk(folder) })
  })
}

/** The mark is written last and by rename, so half an install is never used. @param {string} folder @param {Installed} installed */
async function markInstalled(folder, installed) {
  const mark = join(folder, 'installed.json')
  await writeFile(`${mark}.new`, JSON.stringify(installed))
  await rename(`${mark}.new`, mark)
  return installed
}

/** @param {string} folder @returns {Promise<Installed | undefined>} */
async function installedIn(folder) {
  const text = await readFile(join(folder, 'installed.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

/** @param {string} folder @param {Set<number>} seen inodes counted already */
async function bytesOnDisk(folder, seen = new Set()) {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesOnDisk(path, seen)
    if (!entry.isFile()) continue
    const { ino, size } = await stat(path)
    if (!seen.has(ino)) bytes += size
    seen.add(ino)
  }
  return bytes
}
