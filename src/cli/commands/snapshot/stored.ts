import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder } from '../../../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { ionHome } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { localTime } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import { parseSince } from '../../../platform/since.ts'
import { openExistingAt, openReplicaAt, type ReplicaSettings } from '../../../replica/open.ts'
import {
  chooseSnapshot,
  fetchSnapshot,
  listSnapshots,
  type StoredSnapshot,
  storeSnapshot,
} from '../../../replica/snapshot-store.ts'
import { StoreError } from '../../../replica/store/object-store.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { progressLine } from '../../progress.ts'
import { replicaSettings } from '../run/replica-settings.ts'
import { create } from './create.ts'
import type { SnapshotOptions } from './run.ts'
import type { SnapshotFile } from './snapshot-file.ts'

/** Creates a snapshot in a store. Opens that first: sessions are not read in vain. */
export async function createInStore(address: string, options: SnapshotOptions, context: Context): Promise<ExitKind> {
  if (options.force) {
    throw new IonError('usage', 'a snapshot in a store replaces no other one: leave out --force', {
      hint: `ion snapshot create ${address}`,
    })
  }
  const { io } = context
  return withFolder(io, async (path) => {
    const open = await openReplicaAt(settingsOf(address, context), io)
    const progress = progressLine(context)
    return create({ path, address: open.store.address }, options, context, async () => {
      const onPiece = (done: number, total: number): void =>
        progress.onProgress({ phase: 'storing the snapshot', done, total })
      await storeSnapshot(open, path, io.now(), onPiece).finally(progress.clear)
    })
  })
}

/** Downloads the snapshot that is meant, for as long as it is used. */
export async function withStored(
  address: string,
  options: SnapshotOptions,
  context: Context,
  use: (file: SnapshotFile) => Promise<ExitKind>,
): Promise<ExitKind> {
  const { io, err } = context
  const at = options.at === undefined ? undefined : parseSince(options.at, io.now())
  return withFolder(io, async (path) => {
    const open = await openExistingAt(settingsOf(address, context), io)
    const all = await listSnapshots(open)
    const chosen = chooseSnapshot(open.store.address, all, at)
    const progress = progressLine(context)
    const onPiece = (done: number, total: number): void =>
      progress.onProgress({ phase: 'reading the snapshot', done, total })
    await fetchSnapshot(open, chosen, path, onPiece).finally(progress.clear)
    err.write(`${palette(err).faint(plain(describe(chosen, all)))}\n`)
    return use({ path, address: open.store.address })
  })
}

const MAX_OTHERS = 5

/** Which one it is, and which others --at can choose. */
function describe(chosen: StoredSnapshot, all: readonly StoredSnapshot[]): string {
  const timeOf = ({ at }: StoredSnapshot): string => localTime(at.toISOString())
  const others = all.filter((one) => one !== chosen)
  const shown = others.slice(0, MAX_OTHERS).map(timeOf)
  const more = others.length > shown.length ? ` and ${others.length - shown.length} older` : ''
  return `snapshot of ${timeOf(chosen)}${others.length > 0 ? `; others (--at): ${shown.join(', ')}${more}` : ''}`
}

function settingsOf(address: string, context: Context): ReplicaSettings {
  return replicaSettings({ replica: address }, context)!
}

/** Gives `use` the path of a temporary file in a private folder of Ion's home, and removes both. */
async function withFolder<T>(io: Io, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(privateFolder(join(ionHome(io), 'replica')), 'snapshot-'))
  try {
    return await use(join(folder, 'snapshot.tar.gz'))
  } catch (error) {
    throw error instanceof StoreError ? error.toIonError() : error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
