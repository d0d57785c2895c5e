import type { SessionHead } from '../../events/session.ts'
import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { live } from './live.ts'
import { paths } from './paths.ts'
import { read, textRows } from './read.ts'
import { start } from './start.ts'

export default defineAgent({
  id: 'kiro',
  title: 'Kiro',
  aliases: ['kiro-cli'],
  binaries: ['kiro-cli'],
  install: 'curl -fsSL https://cli.kiro.dev/install | bash',
  module: 'kiro-cli',
  // The database also holds the login tokens (table auth_kv): Ion queries conversations and never copies the file.
  secrets: ['data.sqlite3', 'data.sqlite3-*'],
  resume: { note: 'by id and engine, according to its documentation; not measured' },
  paths,
  resumeCommand,
  sources,
  heads,
  read,
  textFiles: ({ path }) => (path.endsWith('.jsonl') ? [path] : undefined),
  textRows,
  live,
  backup,
  start,
  limits: 'engine v2 records times only for prompts; engines v1 and v3 record no token counts',
})

/** Without its engine's flag an id is not found, and engine v3 then silently starts a new session. */
function resumeCommand(head: SessionHead): readonly string[] | undefined {
  if (!head.resumable) return undefined
  const flag = head.format.startsWith('v1') ? '--classic' : head.format.startsWith('v2') ? '--v2' : '--v3'
  // A v1 conversation that exists in two folders has the folder after its id.
  return ['kiro-cli', 'chat', flag, '--resume-id', head.native_id.split('@')[0]!]
}
