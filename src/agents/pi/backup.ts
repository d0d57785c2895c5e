import { basename } from 'node:path'
import { type BackupSpec, pathBelow } from '../backup.ts'
import { isFlat, projectFolder, sessionsFolder } from './paths.ts'

/** Its file, in the folder of its project. */
export const backup: BackupSpec = {
  roots: (io) => ({ sessions: sessionsFolder(io) }),
  files: { sessions: [/^(--[^/]*--\/)?[^/]+_[^/]+\.jsonl$/] },
  *parts({ path }, { io }) {
    yield { kind: 'file', root: 'sessions', path: pathBelow(sessionsFolder(io), path), form: 'lines' }
  },
  place: (path, cwd, io) => (isFlat(io) ? basename(path) : `${projectFolder(cwd)}/${basename(path)}`),
  rewrite: { fields: ['cwd', 'parentSession'] },
}
