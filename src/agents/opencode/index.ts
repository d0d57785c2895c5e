import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read, rows, textRows } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'opencode',
  title: 'OpenCode',
  aliases: ['opencode-ai'],
  binaries: ['opencode'],
  install: 'npm install -g opencode-ai',
  agentapiType: 'opencode',
  secrets: [
    'auth.json',
    'mcp-auth.json',
    'storage/session_share/*',
    'opencode.db: tables account, account_state, control_account, credential, session_share',
  ],
  resume: { note: 'by id, in its own folder: from another one it hangs' },
  limits: 'no git branch or commit; a fork does not tell what it was forked from',
  paths,
  resumeCommand: (head) => (head.resumable ? ['opencode', '-s', head.native_id] : undefined),
  sources,
  heads,
  read,
  textRows,
  rows,
  backup,
  start,
  writer,
})
