import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 200

/** Runs `work` while nobody else holds `folder` (made for the purpose). A lock whose owner is dead is taken over. */
export async function withFolderLock<T>(
  folder: string,
  work: () => Promise<T>,
  { deadlineMs = 15 * 60_000 }: { deadlineMs?: number } = {},
): Promise<T> {
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

async function take(folder: string) {
  try {
    await mkdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await writeFile(join(folder, 'owner'), String(process.pid))
  return true
}

async function removeIfOwnerIsDead(folder: string) {
  const owner = await ownerOf(folder)
  // A lock with no owner yet is being taken this very moment.
  if (owner === undefined || isAlive(owner)) return
  // Renamed first: of several that see the same dead owner only one gets it.
  const stale = `${folder}.stale-${process.pid}`
  await rename(folder, stale).catch(() => {})
  await rm(stale, { recursive: true, force: true })
}

async function ownerOf(folder: string) {
  const text = await readFile(join(folder, 'owner'), 'utf8').catch(() => '')
  return text ? Number(text) : undefined
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
