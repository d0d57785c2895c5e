import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Io } from '../../platform/io.ts'
import type { BackupSpec, FilePart } from '../backup.ts'
import { paths } from './paths.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const TASK = new RegExp(`^${UUID}$`, 'i')

/** The session, and its list of tasks: without it a resume starts an empty one. */
export const backup: BackupSpec = {
  roots: (io) => ({ augment: augmentFolder(io) }),
  files: { augment: [/^sessions\/[^/.][^/]*\.json$/, new RegExp(`^task-storage/tasks/${UUID}$`, 'i')] },
  mayBeLinks: ['sessions'],
  *parts({ path }: SessionHead, reading: ReadContext): Generator<FilePart> {
    yield file(`sessions/${basename(path)}`)
    const tasks = join(augmentFolder(reading.io), 'task-storage', 'tasks')
    for (const task of tasksBelow(rootTask(path, reading), tasks, new Set())) yield file(`task-storage/tasks/${task}`)
  },
  rewrite: { fields: ['repository_root', 'folder_root', 'current_working_directory'] },
}

function augmentFolder(io: Io): string {
  return paths(io)[0]!.path
}

function file(path: string): FilePart {
  return { kind: 'file', root: 'augment', path, form: 'whole' }
}

/** It follows the history, which may be long, or precedes it where another program wrote the file. */
function rootTask(path: string, reading: ReadContext): string | undefined {
  const name = /"rootTaskUuid"\s*:\s*"([^"\\]+)"/
  for (const part of [readTail(path, 32 * 1024, reading), readHead(path, 32 * 1024, reading)]) {
    const found = name.exec(part.toString('utf8'))?.[1]
    if (found) return found
  }
  return undefined
}

/** A task and its sub-tasks, each once, as far as they exist. */
function* tasksBelow(task: string | undefined, folder: string, seen: Set<string>): Generator<string> {
  if (task === undefined || !TASK.test(task) || seen.has(task)) return
  seen.add(task)
  let below: readonly unknown[]
  try {
    below = asArray(asObject(JSON.parse(readFileSync(join(folder, task), 'utf8')))?.subTasks) ?? []
  } catch {
    return
  }
  yield task
  for (const one of below) yield* tasksBelow(asString(one), folder, seen)
}
