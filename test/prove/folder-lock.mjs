import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 200

/**
 * Runs `work` while nobody else holds `folder` (made for the purpose). A lock whose owner is dead is taken over.
 * @template T
 * @param {string} folder
 * @param {() => Promise<T>} work
 * @param {{ deadlineMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withFolderLock(folder, work, { deadlineMs = 15 * 60_000 } = {}) {
  const giveUpAt = Date.now() + deadlineMs
  while (!(await take(folder))) {
    await removeIfOwnerIsDead(folder)
    if (Date.now() > giveUpAt) throw new Error(`${folder} is still locked by process ${await ownerOf(folder)}`)
    await wait(POLL_MS)
  }
  try {
    return await work()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
async function take(folder) {
  try {
    await mkdir(folder)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
  await writeFile(join(folder, 'owner'), String(process.pid))
  return true
}

/** @param {string} folder */
async function removeIfOwnerIsDead(folder) {
  const owner = await ownerOf(folder)
  // A lock with no owner yet is being taken this very moment.
  if (owner === undefined || isAlive(owner)) return
  // Renamed first: of several that see the same dead owner only one gets it.
  const stale = `${folder}.stale-${process.pid}`
  await rename(folder, stale).catch(() => {})
  await rm(stale, { recursive: true, force: true })
}

/** @param {string} folder */
async function ownerOf(folder) {
  const text = await readFile(join(folder, 'owner'), 'utf8').catch(() => '')
  return text ? Number(text) : undefined
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
