import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { rows } from './follow.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read, textRows } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'goose',
  title: 'Goose',
  aliases: ['block-goose'],
  binaries: ['goose'],
  install: 'npm install -g @aaif/goose-acp',
  agentapiType: 'goose',
  secrets: ['secrets.yaml'],
  resume: { note: 'by id; its -wal and -shm must stay with the database' },
  paths,
  resumeCommand: (head) =>
    head.resumable ? ['goose', 'session', '--resume', '--session-id', head.native_id] : undefined,
  sources,
  heads,
  read,
  textFiles: ({ path, format }) => (format === 'legacy-jsonl' ? [path] : undefined),
  textRows,
  rows,
  backup,
  start,
  writer,
})
