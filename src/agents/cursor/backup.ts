import { basename, dirname, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { pathsIn } from '../../native/walk.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { activeRoot, chatsFolderNames, plainRoot, projectFolderName, transcriptRoot } from './paths.ts'
import { chatOf, sources, TRANSCRIPT } from './sources.ts'

const CHAT = '[0-9A-Za-z][\\w-]*'
const CHATS: readonly RegExp[] = [
  new RegExp(`^chats/[\\w-]+/${CHAT}/(store\\.db|meta\\.json)$`),
  new RegExp(`^acp-sessions/${CHAT}/(store\\.db|meta\\.json)$`),
]
const TRANSCRIPTS: readonly RegExp[] = [
  new RegExp(`^projects/[^/]+/agent-transcripts/(${CHAT}/(subagents/)?)?${CHAT}\\.(jsonl|txt)$`),
]

/**
 * The chat's store, description and transcripts, and the same of its sub-agents. The store has a key for the blobs of this
 * chat, without which it may not be usable: it stays in the copy.
 */
export const backup: BackupSpec = {
  roots: (io) => ({ config: activeRoot(io), plain: plainRoot(io), transcripts: transcriptRoot(io) }),
  files: { config: [...CHATS, ...TRANSCRIPTS], plain: [...CHATS, ...TRANSCRIPTS], transcripts: TRANSCRIPTS },
  mayBeLinks: ['chats', 'acp-sessions', 'projects'],
  parts,
  rewrite: {
    // Both folders are named after the project's path.
    path: (path, { from, to }) => {
      const renamed = chatsFolderNames(to)
      return chatsFolderNames(from)
        .reduce((moved, name, index) => moved.replace(`chats/${name}/`, `chats/${renamed[index]}/`), path)
        .replace(`projects/${projectFolderName(from)}/`, `projects/${projectFolderName(to)}/`)
    },
    fields: ['cwd'],
  },
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const files = new Set<string>()
  for (const source of sources(reading)) {
    if (isProblem(source) || source.path !== head.path) continue
    for (const { path } of source.files) if (!path.endsWith('-wal')) files.add(path)
  }
  if (!head.parent_session) {
    for (const path of [...files]) {
      for (const found of filesOfSubagents(path, head.path, reading)) {
        if (typeof found === 'string') files.add(found)
        else yield found
      }
    }
  }
  for (const path of files) {
    const part = partOf(path, reading)
    if (part) yield part
  }
}

/** Their transcripts are in the folder of the chat; their stores, if any, beside its own. */
function* filesOfSubagents(transcript: string, store: string, reading: ReadContext): Generator<string | Problem> {
  const chat = chatOf(transcript)
  if (basename(dirname(transcript)) !== chat) return
  const folder = join(dirname(transcript), 'subagents')
  for (const path of pathsIn(folder, TRANSCRIPT, reading)) {
    yield path
    if (typeof path !== 'string' || basename(store) !== 'store.db') continue
    const own = join(dirname(dirname(store)), chatOf(path))
    yield join(own, 'store.db')
    yield join(own, 'meta.json')
  }
}

/** Undefined for a file in a place that no chat is restored to. */
function partOf(path: string, { io }: ReadContext): FilePart | undefined {
  for (const [root, folder] of Object.entries(backup.roots(io))) {
    const below = pathBelow(folder, path)
    if (!backup.files[root]!.some((pattern) => pattern.test(below))) continue
    return { kind: 'file', root, path: below, form: formOf(path) }
  }
  return undefined
}

function formOf(path: string): FilePart['form'] {
  return path.endsWith('.db') ? 'database' : path.endsWith('.jsonl') ? 'lines' : 'whole'
}
