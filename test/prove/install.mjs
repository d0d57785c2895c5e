import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { cacheFolder } from './cache-folder.mjs'
import { checkProgram } from './check-program.mjs'
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

/**
 * @typedef {object} Source
 * @property {(pkg: string, cache: string) => Promise<string>} newest
 * @property {(order: Order) => Promise<string>} install  fills the folder, returns the path of the program in it
 * @property {boolean} movable  whether what it installs still works under another name
 */

/** @type {Record<import('./pins.mjs').Pin['from'], Source>} */
const sources = {
  npm: { newest: newestInNpm, install: installFromNpm, movable: true },
  pip: { newest: newestInPip, install: installFromPip, movable: false },
  go: { newest: newestInGo, install: installFromGo, movable: true },
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
    return (await installedIn(folder)) ?? (await installLocked(order, source, log))
  } catch (error) {
    return { unavailable: /** @type {Error} */ (error).message }
  }
}

/**
 * A folder without its mark is half an install and never used. Where it can be moved it is also made under another name,
 * since what a killed installer started may still write there.
 * @param {Order} order
 * @param {Source} source
 * @param {(line: string) => void} log
 */
async function installLocked(order, { install, movable }, log) {
  const { folder, cache, pin, version } = order
  const workplace = movable ? `${folder}.new-${process.pid}` : folder
  await mkdir(cache, { recursive: true })
  return withFolderLock(`${folder}.lock`, async () => {
    const ready = await installedIn(folder)
    if (ready) return ready
    log(`installing ${order.package} ${version}`)
    await rm(folder, { recursive: true, force: true })
    await rm(workplace, { recursive: true, force: true })
    const bin = join(workplace, 'bin')
    await mkdir(bin, { recursive: true })
    try {
      const target = await install({ ...order, folder: workplace })
      const program = join(bin, pin.program)
      if (target !== program) await symlink(relative(bin, target), program)
      await checkProgram(program, cache)
      const installed = { program: join(folder, 'bin', pin.program), version, bytes: await bytesOnDisk(workplace) }
      await writeFile(join(workplace, 'mark.new'), JSON.stringify(installed))
      await rename(join(workplace, 'mark.new'), join(workplace, 'installed.json'))
      if (movable) await rename(workplace, folder)
      return installed
    } catch (error) {
      await rm(workplace, { recursive: true, force: true })
      throw error
    }
  })
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
