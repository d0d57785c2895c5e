import { relative, sep } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { BackupSpec, FilePart } from '../backup.ts'
import { ancestors } from './lineage.ts'
import { sessionNames } from './names.ts'
import { codexRoot, namesFile } from './paths.ts'
import { isCompressed } from './rollout-file.ts'
import { subAgentsOf } from './sub-agents.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ROLLOUT = `rollout-[-0-9T]+-${UUID}(?:_${UUID})?\\.jsonl(?:\\.zst)?`

/** The rollout, those that a fork begins with, and those of sub-agents. Codex rebuilds its databases from them. */
export const backup: BackupSpec = {
  roots: (io) => ({ codex: codexRoot(io) }),
  files: {
    codex: [
      new RegExp(`^sessions/(?:[^/]+/){0,6}${ROLLOUT}$`, 'i'),
      new RegExp(`^archived_sessions/${ROLLOUT}$`, 'i'),
      /^session_index\.jsonl$/,
    ],
  },
  parts,
  rewrite: { fields: ['cwd', 'runtime_workspace_roots', 'workspace_roots', 'writable_roots'] },
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart> {
  const file = (path: string): FilePart => ({
    kind: 'file',
    root: 'codex',
    path: relative(codexRoot(reading.io), path).split(sep).join('/'),
    form: isCompressed(path) ? 'whole' : 'lines',
  })
  yield file(head.path)
  // A compressed file may be beside a plain one: older, but used when the plain one is missing.
  if (!isCompressed(head.path)) yield file(`${head.path}.zst`)
  if (head.parent_session) return
  for (const path of subAgentsOf(head, reading)) yield file(path)
  // A fork cannot be resumed without the files it begins with; they are other sessions.
  for (const { path } of ancestors(head.path, reading).line) yield { ...file(path), shared: true }
  if (sessionNames(reading).byId.has(head.native_id)) yield { ...file(namesFile(reading.io)), shared: true }
}
