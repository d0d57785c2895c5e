import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { live } from './live.ts'
import { paths } from './paths.ts'
import { quotas } from './quotas.ts'
import { read } from './read.ts'
import { scanner } from './scan.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'codex',
  title: 'Codex',
  aliases: ['codex-cli', 'openai-codex'],
  binaries: ['codex'],
  install: 'npm install -g @openai/codex',
  agentapiType: 'codex',
  minimumBytes: 100e6,
  secrets: ['auth.json', '.credentials.json'],
  resume: { note: 'by id; a fork needs its parent, an archived one `codex unarchive` first' },
  limits: 'reasoning is encrypted, so only its summaries can be read',
  paths,
  // Without --no-daemon the session would stay in a background process that keeps it locked.
  resumeCommand: (head) => (head.resumable ? ['codex', 'resume', '--no-daemon', head.native_id] : undefined),
  sources,
  heads,
  read,
  live,
  scanner,
  quotas,
  backup,
  start,
  writer,
})
