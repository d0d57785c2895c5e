import type { Io } from '../platform/io.ts'
import { expectedStoreId, findKey } from './seal/keys.ts'
import { openReplica } from './seal/open-config.ts'
import type { Sealer } from './seal/sealer.ts'
import type { ObjectStore } from './store/object-store.ts'
import { openStore } from './store/open-store.ts'
import { requireConditions } from './store/require-conditions.ts'

/** Where a replica is and how it is opened. Never a key: that is in the environment, or in the file. */
export interface ReplicaSettings {
  /** `s3://bucket/prefix` or `file:///path`. */
  readonly address: string
  readonly keyFile?: string | undefined
  /** Public keys that open a new store too. */
  readonly recipients?: readonly string[]
  /** Asked for by the user. */
  readonly noEncryption?: boolean
}

/** Opens the store, and creates its config if it is new. Throws for one on which two workspaces could write at once. */
export async function openReplicaAt(
  settings: ReplicaSettings,
  io: Io,
): Promise<{ readonly store: ObjectStore; readonly sealer: Sealer; readonly id: string }> {
  const store = await openStore(settings.address, io)
  return { store, ...(await openConfig(store, settings, io)) }
}

export async function openConfig(
  store: ObjectStore,
  { keyFile, recipients = [], noEncryption = false }: ReplicaSettings,
  io: Io,
): Promise<{ readonly sealer: Sealer; readonly id: string }> {
  const key = noEncryption ? undefined : await findKey(io, keyFile)
  const { sealer, id, isNew } = await openReplica(store, { key, recipients, noEncryption, id: expectedStoreId(io) })
  if (isNew) await requireConditions(store)
  return { sealer, id }
}
