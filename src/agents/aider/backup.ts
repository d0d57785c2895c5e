import { basename, dirname, join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { tasksFolder } from '../../platform/home.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { conversationsOf } from './conversations.ts'
import { NOTE_FILE, TASK_FILE } from './paths.ts'

const HISTORY = /^(?:[^/]+\/)*\.aider\.(?:chat\.history\.md|ion\/sessions\/[^/]+\/(?:chat\.md|input))$/

/**
 * The history, and the files beside it in the folder of a task. Histories are in their projects, wherever those are: the
 * root is the home for what is in it, so that another home gets it too, and the file system for the rest. The patterns admit
 * nothing but histories.
 */
export const backup: BackupSpec = {
  roots: (io) => ({ tasks: tasksFolder(io), home: io.home, disk: io.isOtherHome ? io.home : '/' }),
  files: {
    tasks: [/^[0-9a-f]{16}\/aider-[^/]+\/agent\/[0-9a-f-]{36}\/(?:chat\.md|input|session\.json)$/],
    home: [HISTORY],
    disk: [HISTORY],
  },
  parts,
  // In the note beside a task's history; a history contains no folders that aider would use.
  rewrite: { fields: ['cwd'] },
}

function* parts({ path }: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const { conversations } = conversationsOf(path, reading)
  const hasOthers = conversations.filter(({ prompts }) => prompts > 0).length > 1
  const beside = basename(path) === TASK_FILE ? ['input', NOTE_FILE].map((name) => join(dirname(path), name)) : []
  for (const file of [path, ...beside]) {
    const part = partOf(file, reading)
    if (part) yield { ...part, hasOthers }
  }
}

/** Undefined for a history with a name that the user chose: it cannot be distinguished from any other file. */
function partOf(path: string, { io }: ReadContext): FilePart | undefined {
  for (const [root, folder] of Object.entries(backup.roots(io))) {
    const below = pathBelow(folder, path)
    if (!below.startsWith('..') && backup.files[root]!.some((pattern) => pattern.test(below))) {
      return { kind: 'file', root, path: below, form: 'whole' }
    }
  }
  return undefined
}
