import { randomBytes } from 'node:crypto'
import { isConflict, type ObjectStore, StoreError } from './object-store.ts'

/**
 * Throws `unsupported` for a store that ignores the conditions of puts: there, two workspaces could both hold the lease of
 * a task. Leaves nothing behind.
 */
export async function requireConditions(store: ObjectStore): Promise<void> {
  const key = `check/${randomBytes(8).toString('hex')}`
  const content = (text: string): Uint8Array => Buffer.from(`${key} ${text}`)
  try {
    const first = await store.put(key, content('first'), { isNew: true })
    const second = await store.put(key, content('second'), { tag: first })
    const refused = [
      await isRefused(store.put(key, content('third'), { isNew: true })),
      await isRefused(store.put(key, content('fourth'), { tag: first })),
    ]
    if (refused.every(Boolean) && (await store.get(key))?.tag === second) return
  } finally {
    await store.remove([key])
  }
  throw new StoreError(
    'unsupported',
    `${store.address} ignores conditional puts, which Ion needs so that one workspace at a time writes`,
    {
      hint: 'use a server that supports If-None-Match and If-Match, such as Amazon S3, Cloudflare R2 or MinIO',
    },
  )
}

async function isRefused(put: Promise<string>): Promise<boolean> {
  try {
    await put
    return false
  } catch (error) {
    if (isConflict(error)) return true
    throw error
  }
}
