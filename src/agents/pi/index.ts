import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'pi',
  title: 'Pi',
  aliases: ['pi-coding-agent'],
  binaries: ['pi'],
  install: 'npm install -g @earendil-works/pi-coding-agent',
  agentapiType: 'custom',
  module: 'pi',
  minimumBytes: 50e6,
  secrets: ['auth.json', 'models.json', 'mcp.json'],
  resume: { note: "by id, in the session's folder; from any other folder it offers a fork" },
  limits: 'A session is stored with its first answer: one that was killed before that leaves nothing.',
  paths,
  resumeCommand: (head) => (head.resumable ? ['pi', '--session', head.native_id] : undefined),
  sources,
  heads,
  read,
  textFiles: ({ path }) => [path],
  backup,
  start,
  writer,
})
