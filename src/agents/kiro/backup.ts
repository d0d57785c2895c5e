import { basename, dirname, join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { childrenIn, sessionTree } from '../../native/session-tree.ts'
import { filesIn, pathsBelow, stampOf } from '../../native/walk.ts'
import { conversationParts } from '../_shared/conversation-rows.ts'
import type { BackupSpec, FilePart } from '../backup.ts'
import { dataFolder, sessionsFolder } from './paths.ts'
import { parentIn } from './v2.ts'

const ID = '[0-9A-Za-z][\\w-]*'

/**
 * Engine v1: rows, since its database also holds login tokens: it is never copied, and only these tables are queried.
 * Engine v2: the files of the session and of its sub-agents. Engine v3: the folder of the session.
 */
export const backup: BackupSpec = {
  roots: (io) => ({ data: dataFolder(io), sessions: sessionsFolder(io) }),
  files: {
    data: [/^data\.sqlite3$/],
    sessions: [
      new RegExp(`^cli/${ID}\\.(json|jsonl|history)$`),
      /^(?!cli\/)[\w-]+\/sess_[\w-]+\/(session\.json|messages\.jsonl|snapshots\/.+)$/,
    ],
  },
  tables: ['conversations', 'conversations_v2'],
  *parts(head, reading) {
    if (head.format.startsWith('v1')) yield* conversationParts(head)
    else if (head.format.startsWith('v2')) yield* filesOfFamily(head, reading)
    else yield* filesOfFolder(head, reading)
  },
  rewrite: {
    fields: ['cwd', 'workspacePaths'],
    columns: { conversations: ['key'], conversations_v2: ['key'] },
  },
}

function* filesOfFamily({ path, native_id, parent_session }: SessionHead, reading: ReadContext): Generator<FilePart> {
  const folder = dirname(path)
  const family = parent_session
    ? [native_id]
    : sessionTree(
        native_id,
        childrenIn(folder, () => links(folder, reading)),
      )
  for (const id of family) {
    yield file(`cli/${id}.jsonl`, 'lines')
    // The metadata, and the typed commands.
    for (const ending of ['json', 'history']) yield file(`cli/${id}.${ending}`)
  }
}

function* links(folder: string, reading: ReadContext): Generator<{ child: string; parent: string }> {
  for (const name of filesIn(folder, new RegExp(`^${ID}\\.json$`), reading)) {
    const stamp = typeof name === 'string' ? stampOf(join(folder, name)) : undefined
    const parent = stamp && parentIn(stamp, reading)
    if (parent) yield { child: basename(stamp.path, '.json'), parent }
  }
}

function* filesOfFolder({ path }: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const folder = dirname(path)
  const own = `${basename(dirname(folder))}/${basename(folder)}`
  yield file(`${own}/session.json`)
  yield file(`${own}/messages.jsonl`, 'lines')
  for (const path of pathsBelow(sessionsFolder(reading.io), `${own}/snapshots`, reading)) {
    yield typeof path === 'string' ? file(path) : path
  }
}

function file(path: string, form: FilePart['form'] = 'whole'): FilePart {
  return { kind: 'file', root: 'sessions', path, form }
}
