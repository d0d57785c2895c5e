import { basename } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { BackupSpec, FilePart } from '../backup.ts'
import { dataFolder } from './paths.ts'
import { THREAD_ID } from './thread.ts'

/** The thread's file. A thread on the server has only its id here: there is nothing to copy. */
export const backup: BackupSpec = {
  roots: (io) => ({ data: dataFolder(io) }),
  files: { data: [/^threads\/T-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/i] },
  mayBeLinks: ['threads'],
  *parts({ path }: SessionHead): Generator<FilePart> {
    const name = basename(path)
    if (!THREAD_ID.test(basename(name, '.json'))) return
    yield { kind: 'file', root: 'data', path: `threads/${name}`, form: 'whole' }
  },
  rewrite: { fields: ['uri'] },
}
