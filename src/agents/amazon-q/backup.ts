import { conversationParts } from '../_shared/conversation-rows.ts'
import type { BackupSpec } from '../backup.ts'
import { dataFolder } from './paths.ts'

/** The folder's row. The database also holds login tokens: it is never copied, and only this table is queried. */
export const backup: BackupSpec = {
  roots: (io) => ({ data: dataFolder(io) }),
  files: { data: [/^data\.sqlite3$/] },
  tables: ['conversations'],
  parts: conversationParts,
  rewrite: { columns: { conversations: ['key'] } },
}
