import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync } from 'node:fs'
import { parsedObject } from '../native/narrow.ts'
import { writeAll } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { localTime } from '../platform/local-time.ts'
import { isCount } from '../vault/validate.ts'
import { inParallel } from './log/in-parallel.ts'
import type { LogCheck } from './log/verify-log.ts'
import type { OpenStore } from './open.ts'
import { StoreError } from './store/object-store.ts'

export interface StoredSnapshot {
  /** Its folder below `snapshots/`. */
  readonly name: string
  /** When it was created. */
  readonly at: Date
}

/** Called for each piece that is stored or read. */
export type OnPiece = (done: number, total: number) => void

export const SNAPSHOTS = 'snapshots/'
/**
 * Not cut by their content, as those of tasks: a snapshot is compressed, so that two of them have nothing in common after
 * the first difference.
 */
const PIECE_BYTES = 4 * 1024 * 1024
const PARALLEL = 6

/** What a snapshot consists of. It is put last: without it, the pieces are those of a snapshot that was never completed. */
interface Manifest {
  readonly v: 1
  readonly size: number
  /** The SHA-256 of each piece. */
  readonly pieces: readonly string[]
}

/** Stores a file as a snapshot, durable when it resolves. Throws `StoreError` and `IonError`. */
export async function storeSnapshot(
  { store, sealer }: OpenStore,
  file: string,
  at: Date,
  onPiece: OnPiece = () => {},
): Promise<StoredSnapshot> {
  const name = nameOf(at)
  const put = (key: string, plain: Uint8Array): Promise<string> => store.put(key, sealer.seal(key, plain))
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    const total = Math.ceil(size / PIECE_BYTES)
    const pieces: string[] = []
    let done = 0
    await inParallel(PARALLEL, piecesOf(fd), async (bytes) => {
      const index = pieces.push(sha256(bytes)) - 1
      await put(pieceKey(name, index), bytes)
      onPiece(++done, total)
    })
    const manifest: Manifest = { v: 1, size, pieces }
    await put(manifestKey(name), Buffer.from(JSON.stringify(manifest)))
  } finally {
    closeSync(fd)
  }
  return { name, at }
}

/** Those that are complete, the newest first. */
export async function listSnapshots({ store }: Pick<OpenStore, 'store'>): Promise<StoredSnapshot[]> {
  const found: StoredSnapshot[] = []
  for await (const { key } of store.list(SNAPSHOTS)) {
    const [, name, day, hour, minute, second, millisecond] = MANIFEST_KEY.exec(key) ?? []
    if (name === undefined) continue
    const at = new Date(`${day}T${hour}:${minute}:${second}.${millisecond}Z`)
    if (!Number.isNaN(at.getTime())) found.push({ name, at })
  }
  return found.reverse()
}

/** The newest, or the newest that is not later than the given time. Throws `not-found`. */
export function chooseSnapshot(
  address: string,
  snapshots: readonly StoredSnapshot[],
  at: Date | undefined,
): StoredSnapshot {
  const chosen = snapshots.find((snapshot) => at === undefined || snapshot.at <= at)
  if (chosen) return chosen
  const oldest = snapshots.at(-1)
  if (!oldest) {
    throw new IonError('not-found', `there is no snapshot in ${address}`, {
      hint: `ion snapshot create ${address} stores one`,
    })
  }
  throw new IonError('not-found', `there is no snapshot in ${address} from before ${localTime(at!.toISOString())}`, {
    hint: `the oldest is of ${localTime(oldest.at.toISOString())}; without --at the newest is used`,
  })
}

/** Downloads a snapshot into a new file that only the user may read. Throws for anything that is not what was stored. */
export async function fetchSnapshot(
  open: OpenStore,
  snapshot: StoredSnapshot,
  file: string,
  onPiece: OnPiece = () => {},
): Promise<void> {
  const fd = openSync(file, 'wx', 0o600)
  try {
    await readSnapshot(open, snapshot, (bytes, number, total) => {
      writeAll(fd, bytes)
      onPiece(number, total)
    })
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Reads a snapshot back. Its problems are the answer; throws `StoreError`. */
export async function verifySnapshot(open: OpenStore, snapshot: StoredSnapshot): Promise<LogCheck> {
  const check = { records: 0, pieces: 0, bytes: 0 }
  try {
    await readSnapshot(open, snapshot, (bytes) => {
      check.pieces++
      check.bytes += bytes.length
    })
    return { ...check, problems: [] }
  } catch (error) {
    if (error instanceof StoreError) throw error
    return { ...check, problems: [messageOf(error)] }
  }
}

async function readSnapshot(
  { store, sealer }: OpenStore,
  { name }: StoredSnapshot,
  take: (bytes: Buffer, number: number, total: number) => void,
): Promise<void> {
  const read = async (key: string): Promise<Buffer> => {
    const object = await store.get(key)
    if (!object) throw damaged(store.address, key, 'is missing')
    return sealer.open(key, object.bytes)
  }
  const manifest = parsedObject((await read(manifestKey(name))).toString('utf8'))
  if (!isManifest(manifest)) throw damaged(store.address, manifestKey(name), 'is not the manifest of a snapshot')
  const { size, pieces } = manifest
  let taken = 0
  for (let from = 0; from < pieces.length; from += PARALLEL) {
    const some = pieces.slice(from, from + PARALLEL)
    const contents = await Promise.all(some.map((_, index) => read(pieceKey(name, from + index))))
    for (const [index, bytes] of contents.entries()) {
      const number = from + index
      if (sha256(bytes) !== some[index]) throw damaged(store.address, pieceKey(name, number), 'is another piece')
      take(bytes, number + 1, pieces.length)
      taken += bytes.length
    }
  }
  if (taken !== size) throw damaged(store.address, manifestKey(name), 'names another size')
}

function* piecesOf(fd: number): Generator<Buffer> {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    let filled = 0
    while (filled < piece.length) {
      const count = readSync(fd, piece, filled, piece.length - filled, null)
      if (count === 0) break
      filled += count
    }
    if (filled > 0) yield piece.subarray(0, filled)
    if (filled < piece.length) return
  }
}

/**
 * `2026-11-18t14-02-31-007z-1a2b3c4d`: in the order of time, of characters that keys may have, and with a random end, so that
 * two processes never put the same object.
 */
function nameOf(at: Date): string {
  return `${at.toISOString().toLowerCase().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`
}

const MANIFEST_KEY = new RegExp(
  `^${SNAPSHOTS}((\\d{4}-\\d\\d-\\d\\d)t(\\d\\d)-(\\d\\d)-(\\d\\d)-(\\d{3})z-[0-9a-f]{8})/manifest$`,
)

function manifestKey(name: string): string {
  return `${SNAPSHOTS}${name}/manifest`
}

function pieceKey(name: string, index: number): string {
  return `${SNAPSHOTS}${name}/pieces/${String(index).padStart(9, '0')}`
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function isManifest(value: unknown): value is Manifest {
  const { v, size, pieces } = Object(value) as Record<string, unknown>
  return v === 1 && isCount(size) && Array.isArray(pieces) && pieces.every((one) => /^[0-9a-f]{64}$/.test(String(one)))
}

function damaged(address: string, key: string, what: string): IonError {
  return new IonError('failed', `the snapshot in ${address} is damaged: ${key} ${what}`, {
    hint: 'use an earlier one: --at <time>',
  })
}
