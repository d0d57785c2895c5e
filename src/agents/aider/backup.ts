import { basename, dirname, join, relative, sep } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { tasksFolder } from '../../platform/task-folders.ts'
import type { BackupSpec, FilePart } from '../backup.ts'
import { NOTE_FILE, TASK_FILE } from './paths.ts'
import { talksOf } from './talks.ts'

const HISTORY = /^(?:[^/]+\/)*\.aider\.(?:chat\.history\.md|ion\/sessions\/[^/]+\/(?:chat\.md|input))$/

/**
 * The history, and what stands beside it in the folder of a task. Histories are in their projects, wherever those are: the
 * root is the home for what is in it, so that another home has it too, and the disk for the rest. By their names nothing
 * but a history can be put there.
 */
export const backup: BackupSpec = {
  roots: (io) => ({ tasks: tasksFolder(io), home: io.home, disk: io.isOtherHome ? io.home : '/' }),
  files: {
    tasks: [/^[0-9a-f]{16}\/aider-[^/]+\/agent\/[0-9a-f-]{36}\/(?:chat\.md|input|session\.json)$/],
    home: [HISTORY],
    disk: [HISTORY],
  },
  parts,
  // In the note beside the history of a task; a history names no folders that aider would look at.
  rewrite: { fields: ['cwd'] },
}

function* parts({ path }: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const { talks } = talksOf(path, reading)
  const hasOthers = talks.filter(({ prompts }) => prompts > 0).length > 1
  const beside = basename(path) === TASK_FILE ? ['input', NOTE_FILE].map((name) => join(dirname(path), name)) : []
  for (const file of [path, ...beside]) {
    const part = partOf(file, reading)
    if (part) yield { ...part, hasOthers }
  }
}

/** Undefined for a history that the user has named otherwise: there is no telling such a name from any other. */
function partOf(path: string, { io }: ReadContext): FilePart | undefined {
  for (const [root, folder] of Object.entries(backup.roots(io))) {
    const below = relative(folder, path).split(sep).join('/')
    if (!below.startsWith('..') && backup.files[root]!.some((pattern) => pattern.test(below))) {
      return { kind: 'file', root, path: below, form: 'whole' }
    }
  }
  return undefined
}
