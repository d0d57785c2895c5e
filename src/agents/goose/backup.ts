import { basename } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { BackupPart, BackupSpec } from '../backup.ts'
import { sessionsFolder } from './paths.ts'

/** Its rows; an old session that Goose has not imported into the database yet is a file. */
export const backup: BackupSpec = {
  roots: (io) => ({ sessions: sessionsFolder(io) }),
  files: { sessions: [/^sessions\.db$/, /^[^/]+\.jsonl$/] },
  tables: ['sessions', 'messages', 'usage_ledger'],
  *parts({ path, native_id }: SessionHead): Generator<BackupPart> {
    const name = basename(path)
    if (name.endsWith('.jsonl')) yield { kind: 'file', root: 'sessions', path: name, form: 'lines' }
    else {
      yield {
        kind: 'rows',
        root: 'sessions',
        path: name,
        tables: [
          { table: 'sessions', where: { id: native_id } },
          // Goose itself renumbers them when it compacts.
          { table: 'messages', where: { session_id: native_id }, numbered: 'id' },
          { table: 'usage_ledger', where: { session_id: native_id }, numbered: 'id' },
        ],
        bookkeeping: ['schema_version'],
      }
    }
  },
  idColumns: { sessions: ['id', 'parent_session_id'], messages: ['session_id'], usage_ledger: ['session_id'] },
  rewrite: { fields: ['working_dir'], columns: { sessions: ['working_dir'] } },
}
