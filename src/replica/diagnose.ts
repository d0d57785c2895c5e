import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { readTaskState } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { isUntouched } from '../run/task-state.ts'
import { knownTasks } from '../run/tasks.ts'
import { type LocalRecord, readLocalRecord } from './local-record.ts'
import { openByConfig, type ReplicaSettings } from './open.ts'
import { expectedStoreId, findKey } from './seal/keys.ts'
import { type CurrentStatus, currentReplica } from './status.ts'
import type { ObjectStore } from './store/object-store.ts'
import { openStore } from './store/open-store.ts'

// What can be known about replicas without asking a store.

export interface CheckedSettings {
  /** Opened, and not asked anything. */
  readonly store: ObjectStore
  /** Where the key is from; undefined without encryption. */
  readonly keySource: string | undefined
}

/** Throws IonError for an address, credentials, a key or an id that cannot be right. */
export async function checkSettings(
  { address, keyFile, noEncryption }: ReplicaSettings,
  io: Io,
): Promise<CheckedSettings> {
  const store = await openStore(address, io)
  expectedStoreId(io)
  if (noEncryption) return { store, keySource: undefined }
  const key = await findKey(io, keyFile)
  if (key) return { store, keySource: key.source }
  throw new IonError('usage', `there is no key for ${store.address}`, {
    hint: 'set ION_REPLICA_KEY, or name a key file: --replica-key-file, ION_REPLICA_KEY_FILE, or ion config set replica.key_file <file>; ion replica key <file> creates one',
  })
}

/** What a start would ask of the store before the agent starts, in words. */
export async function previewStart(task: Task, settings: ReplicaSettings, io: Io): Promise<string> {
  const { store } = await checkSettings(settings, io)
  const { address } = store
  const record = readLocalRecord(task.folder, address)
  const isNew = isUntouched(readTaskState(task.folder))
  if (isNew) return `${address} was not asked: the task would be looked for there, and restored if it is found`
  const isQuick = record?.released !== undefined && !record.isHalf
  const how = isQuick
    ? 'its lease there would be taken in one request'
    : 'its lease and its newest state would be read there'
  return `${address} was not asked: ${how}, and the task restored first if another workspace has continued it`
}

/** A task that is or was kept in a store. */
export interface KeptTask {
  readonly task: Task
  /** Of the store. */
  readonly address: string
  /** Undefined if nothing was stored from here yet. */
  readonly status: CurrentStatus | undefined
  /** A restore was interrupted. */
  readonly isHalf: boolean
  /** Whether the key that is set opens the store as it was when it was last used from here; undefined where that is not known. */
  readonly isOpenedByKey: boolean | undefined
}

/** `store`: the one that is set, if there is one that can be. */
export async function keptTasks(
  settings: ReplicaSettings | undefined,
  store: ObjectStore | undefined,
  io: Io,
): Promise<KeptTask[]> {
  const kept: KeptTask[] = []
  for (const { task } of knownTasks(io)) {
    const record = readLocalRecord(task.folder)
    const status = currentReplica(task.folder)
    const address = record?.address ?? status?.address
    if (address === undefined) continue
    const isSet = settings && store && record?.address === store.address
    const isOpenedByKey = isSet ? await isOpened(record, settings, store, io) : undefined
    kept.push({ task, address, status, isHalf: record?.isHalf === true, isOpenedByKey })
  }
  return kept
}

async function isOpened(
  { released, store: id }: LocalRecord,
  settings: ReplicaSettings,
  store: ObjectStore,
  io: Io,
): Promise<boolean | undefined> {
  if (!released) return undefined
  return (await openByConfig(store, released.config, settings, io))?.storeId === id
}
