import { basename } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { pathsBelow } from '../../native/walk.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { claudeRoot } from './paths.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The transcript, those of its sub-agents beside it, and the earlier states of edited files. */
export const backup: BackupSpec = {
  roots: (io) => ({ config: claudeRoot(io) }),
  files: {
    config: [
      new RegExp(`^projects/[^/]+/${UUID}\\.jsonl$`),
      new RegExp(`^projects/[^/]+/${UUID}/.+$`),
      new RegExp(`^file-history/${UUID}/[^/]+$`),
    ],
  },
  mayBeLinks: ['projects', 'file-history'],
  parts,
  rewrite: {
    // The folder of a project is named after its path.
    path: (path, { from, to }) => path.replace(`projects/${folderName(from)}/`, `projects/${folderName(to)}/`),
    fields: ['cwd'],
  },
}

export function folderName(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-')
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  const root = claudeRoot(reading.io)
  const main = pathBelow(root, head.path)
  yield file(main)
  if (head.parent_session) {
    yield file(main.replace(/\.jsonl$/, '.meta.json'))
    return
  }
  for (const folder of [main.replace(/\.jsonl$/, ''), `file-history/${basename(head.path, '.jsonl')}`]) {
    for (const path of pathsBelow(root, folder, reading)) yield isProblem(path) ? path : file(path)
  }
}

function file(path: string): FilePart {
  return { kind: 'file', root: 'config', path, form: path.endsWith('.jsonl') ? 'lines' : 'whole' }
}
