import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'auggie',
  title: 'Auggie',
  aliases: ['augment', 'augment-cli'],
  binaries: ['auggie'],
  install: 'npm install -g @augmentcode/auggie',
  agentapiType: 'auggie',
  secrets: ['session.json'],
  resume: { note: 'by id; a session killed in its first answer was never saved' },
  limits: 'Only ~/.augment: a folder given with --augment-cache-dir leaves no trace. No time is kept for prompts.',
  paths,
  resumeCommand: (head) => (head.resumable ? ['auggie', '--resume', head.native_id] : undefined),
  sources,
  heads,
  read,
  textFiles: ({ path }) => [path],
  backup,
  start,
  writer,
})
