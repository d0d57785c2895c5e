import { basename, join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { filesIn, stampOf, subfolders } from '../../native/walk.ts'
import { type ConversationStore, conversationHeads, conversationSource } from '../_shared/conversation-rows.ts'
import type { Source } from '../agent.ts'
import { dataFolder, sessionsFolder } from './paths.ts'
import { v2Head } from './v2.ts'
import { v3Head } from './v3.ts'

/** The older table has one conversation per folder; what was migrated to the newer one is listed from there. */
export const v1Stores: readonly ConversationStore[] = [
  { table: 'conversations_v2', format: 'v1-sqlite', resumable: true },
  { table: 'conversations', format: 'v1-sqlite-by-folder', resumable: false },
]

const V2_FOLDER = 'cli'

/** Three engines, three stores; a session of one is unknown to the others. */
export function* sources(reading: ReadContext): Generator<Source | Problem> {
  yield* conversationSource(dataFolder(reading.io), reading)
  const folder = sessionsFolder(reading.io)
  for (const name of subfolders(folder, reading)) {
    if (typeof name !== 'string') yield name
    else if (name === V2_FOLDER) yield* v2Sources(join(folder, name), reading)
    else yield* v3Sources(join(folder, name), reading)
  }
}

/** `<id>.jsonl` and `<id>.json` are one session; `.lock` and `.history` are not sessions. */
function* v2Sources(folder: string, reading: ReadContext): Generator<Source | Problem> {
  const stems = new Set<string>()
  for (const name of filesIn(folder, /^[0-9a-z][\w-]*\.jsonl?$/i, reading)) {
    if (typeof name === 'string') stems.add(name.replace(/\.jsonl?$/, ''))
    else yield name
  }
  // A session that was never used has only its metadata.
  for (const stem of stems) yield* filesSource([join(folder, `${stem}.jsonl`), join(folder, `${stem}.json`)], reading)
}

function* v3Sources(folder: string, reading: ReadContext): Generator<Source | Problem> {
  for (const name of subfolders(folder, reading)) {
    if (typeof name !== 'string') yield name
    else if (/^sess_[\w-]+$/.test(name)) {
      yield* filesSource([join(folder, name, 'messages.jsonl'), join(folder, name, 'session.json')], reading)
    }
  }
}

function* filesSource(paths: readonly string[], reading: ReadContext): Generator<Source> {
  const files = paths.map((path) => stampOf(path, reading)).filter((stamp) => stamp !== undefined)
  if (files[0]) yield { path: files[0].path, files }
}

export function heads(source: Source, reading: ReadContext): Iterable<SessionHead | Problem> {
  if (source.path.endsWith('.sqlite3')) return conversationHeads('kiro', source.path, v1Stores)
  return /^(messages\.jsonl|session\.json)$/.test(basename(source.path))
    ? v3Head(source, reading)
    : v2Head(source, reading)
}
