import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { inPlace, withNativeDatabase } from '../../native/database.ts'
import { isConversation } from '../_shared/conversation-rows.ts'
import type { BackupPart, BackupSpec } from '../backup.ts'
import { dataFolder } from './paths.ts'

const DATABASE = 'data.sqlite3'

/** The folder's row. The database also holds login tokens: it is never copied, and only this table is queried. */
export const backup: BackupSpec = {
  roots: (io) => ({ data: dataFolder(io) }),
  files: { data: [/^data\.sqlite3$/] },
  tables: ['conversations'],
  *parts({ path, cwd, native_id }: SessionHead): Generator<BackupPart | Problem> {
    if (cwd === null) return
    const found = withNativeDatabase(
      path,
      (database) => [isConversation(database, 'conversations', cwd, native_id)],
      inPlace,
    )
    for (const isOwn of found) {
      if (typeof isOwn !== 'boolean') yield isOwn
      // The next conversation in a folder replaces the row of the last.
      else if (isOwn) {
        yield {
          kind: 'rows',
          root: 'data',
          path: DATABASE,
          tables: [{ table: 'conversations', where: { key: cwd } }],
          bookkeeping: ['migrations'],
          inPlace: true,
        }
      }
    }
  },
  rewrite: { columns: { conversations: ['key'] } },
}
