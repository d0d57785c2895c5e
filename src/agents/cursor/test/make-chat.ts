import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../platform/sqlite.ts'
import { message } from '../write-message.ts'

/** For tests: chats encoded by hand, since Cursor's server cannot be replaced by a stub. The fixtures were made with it. */

/** Collects blobs; `add` returns the raw id by which others refer to one. */
export class ChatBlobs {
  readonly all = new Map<string, Buffer>()

  add(data: Buffer | object): Buffer {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data))
    const id = createHash('sha256').update(bytes).digest()
    this.all.set(id.toString('hex'), bytes)
    return id
  }

  /** A turn of an agent: the prompt's fields, then each step's. */
  turn(user: Buffer, ...steps: readonly Buffer[]): Buffer {
    const fields = [[1, this.add(user)] as const, ...steps.map((step) => [2, this.add(step)] as const)]
    return this.add(message([1, message(...fields, [3, 'request'])]))
  }
}

export interface MadeChat {
  readonly blobs: ChatBlobs
  readonly root: string
  readonly meta?: Readonly<Record<string, unknown>>
  readonly description?: Readonly<Record<string, unknown>>
}

/** Writes `store.db` and `meta.json`. `whileInWal` runs while everything is still in the WAL. */
export function writeChat(folder: string, chat: MadeChat, whileInWal?: (store: string) => void): void {
  mkdirSync(folder, { recursive: true })
  const store = join(folder, 'store.db')
  const database = openDatabase(store)
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA user_version = 1; PRAGMA wal_autocheckpoint = 0; BEGIN;
    CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)`)
  const insert = database.prepare('INSERT INTO blobs VALUES (?, ?)')
  for (const [id, data] of chat.blobs.all) insert.run(id, data)
  const meta = { latestRootBlobId: chat.root, name: 'New Agent', blobEncryptionKey: 'feed'.repeat(16), ...chat.meta }
  const hex = Buffer.from(JSON.stringify(meta)).toString('hex')
  database.prepare("INSERT INTO meta VALUES ('0', ?)").run(hex)
  database.exec('COMMIT')
  whileInWal?.(store)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  // As after a clean exit; not every SQLite driver removes them at once.
  for (const ending of ['-wal', '-shm']) rmSync(store + ending, { force: true })
  if (chat.description) writeFileSync(join(folder, 'meta.json'), JSON.stringify(chat.description))
}
