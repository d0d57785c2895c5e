import { basename, dirname, join, relative, sep } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { childrenIn, sessionTree } from '../../native/session-tree.ts'
import { filesIn } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import type { FilePart } from '../backup.ts'
import { dataFolder } from './paths.ts'
import { parseObject } from './records.ts'
import { treeOf } from './stores.ts'

/** Some versions stored file diffs in it. */
const DESCRIPTION_LIMIT = 4 * 1024 * 1024
const JSON_FILE = /^[\w-]+\.json$/

/** All files of a session of one of the old trees, and of its sub-agents. */
export function* backUpTree(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const folder = dirname(head.path)
  const family = head.parent_session
    ? [head.native_id]
    : sessionTree(
        head.native_id,
        childrenIn(folder, () => links(folder, reading)),
      )
  for (const session of family) yield* filesOf(join(folder, `${session}.json`), reading)
  // In the newer tree a session's folder is named after its project, which has its own file.
  const storage = dirname(dirname(folder))
  const project = join(storage, 'project', `${basename(folder)}.json`)
  if (basename(folder) !== 'info') yield { ...file(project, reading), shared: true }
}

function* filesOf(session: string, reading: ReadContext): Generator<FilePart | Problem> {
  const tree = treeOf(session)
  yield file(session, reading)
  for (const message of filesIn(tree.messages, JSON_FILE, reading)) {
    if (typeof message !== 'string') {
      yield message
      continue
    }
    yield file(join(tree.messages, message), reading)
    const parts = tree.parts(basename(message, '.json'))
    for (const part of filesIn(parts, JSON_FILE, reading)) {
      yield typeof part === 'string' ? file(join(parts, part), reading) : part
    }
  }
  if (basename(dirname(session)) === 'info') return
  const storage = dirname(dirname(dirname(session)))
  for (const what of ['todo', 'session_diff']) yield file(join(storage, what, basename(session)), reading)
}

function file(path: string, { io }: ReadContext): FilePart {
  return { kind: 'file', root: 'data', path: relative(dataFolder(io), path).split(sep).join('/'), form: 'whole' }
}

function* links(folder: string, reading: ReadContext): Generator<{ child: string; parent: string }> {
  for (const name of filesIn(folder, JSON_FILE, reading)) {
    if (typeof name !== 'string') continue
    const parent = parentOf(join(folder, name), reading)
    if (parent) yield { child: basename(name, '.json'), parent }
  }
}

function parentOf(file: string, reading: ReadContext): string | undefined {
  try {
    return asString(parseObject(readHead(file, DESCRIPTION_LIMIT, reading).toString('utf8'))?.parentID)
  } catch {
    return undefined
  }
}
