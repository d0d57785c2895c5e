import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { expectedStoreId, findKey } from './seal/keys.ts'
import { CONFIG, type OpenedReplica, type OpenOptions, openKnown, openReplica } from './seal/open-config.ts'
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
  /** How long a task can be restored to an earlier moment. */
  readonly days: number
}

export interface OpenStore {
  readonly store: ObjectStore
  readonly sealer: Sealer
  readonly id: string
}

/** Opens a store that has replicas; creates nothing. */
export async function openExistingAt(settings: ReplicaSettings, io: Io): Promise<OpenStore> {
  const store = await openStore(settings.address, io)
  if (await store.get(CONFIG)) return openReplicaAt(settings, io)
  throw new IonError('not-found', `there is no replica in ${store.address}`, {
    hint: `check the address; ion run <agent> "what to do" --replica ${store.address} stores the first task there`,
  })
}

/** Opens the store, and creates its config if it is new. Throws for one on which two workspaces could write at once. */
export async function openReplicaAt(settings: Omit<ReplicaSettings, 'days'>, io: Io): Promise<OpenStore> {
  const store = await openStore(settings.address, io)
  return { store, ...(await openConfig(store, settings, io)) }
}

/** The same for a store that may not answer: it has been opened without asking anything of it. */
export async function openConfig(
  store: ObjectStore,
  settings: Omit<ReplicaSettings, 'days'>,
  io: Io,
): Promise<OpenedReplica> {
  const opened = await openReplica(store, await optionsOf(settings, io))
  if (opened.isNew) await requireConditions(store)
  return opened
}

/** By the config that it had when it was last opened; see `openKnown`. */
export async function openByConfig(
  store: ObjectStore,
  config: string,
  settings: Omit<ReplicaSettings, 'days'>,
  io: Io,
): Promise<Sealer | undefined> {
  return openKnown(store, config, await optionsOf(settings, io))
}

async function optionsOf(
  { keyFile, recipients = [], noEncryption = false }: Omit<ReplicaSettings, 'days'>,
  io: Io,
): Promise<OpenOptions> {
  const key = noEncryption ? undefined : await findKey(io, keyFile)
  return { key, recipients, noEncryption, id: expectedStoreId(io) }
}
