import { basename } from 'node:path'
import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads } from './list.ts'
import { paths } from './paths.ts'
import { read } from './read.ts'
import { sources } from './sources.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'cursor',
  title: 'Cursor CLI',
  aliases: ['cursor-agent', 'cursor-cli'],
  binaries: ['cursor-agent', 'agent'],
  install: 'curl https://cursor.com/install -fsS | bash',
  agentapiType: 'cursor',
  module: 'cursor-cli',
  secrets: ['auth.json', 'cli-config.json', 'mcp.json', 'store.db: blobEncryptionKey in its table meta'],
  resume: {
    note: 'by id in the recorded folder, as others report; not measured (needs a login). An unknown id starts a new chat without a word',
  },
  limits:
    'no token counts, few times in older chats; arguments of rarer tools as numbered fields; sub-agents kept inside a chat are not sessions',
  paths,
  resumeCommand: (head) =>
    head.resumable && head.cwd
      ? ['cursor-agent', '--resume', basename(head.native_id), '--workspace', head.cwd]
      : undefined,
  sources,
  heads,
  read,
  textFiles: ({ path, format }) => (format === 'store' ? undefined : [path]),
  backup,
  start,
  writer,
})
