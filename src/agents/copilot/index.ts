import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { live } from './live.ts'
import { paths } from './paths.ts'
import { read } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'copilot',
  title: 'GitHub Copilot CLI',
  aliases: ['github-copilot', 'copilot-cli'],
  binaries: ['copilot'],
  install: 'npm install -g @github/copilot',
  agentapiType: 'copilot',
  secrets: ['config.json', 'mcp-config.json', 'mcp-oauth-config/*'],
  resume: { note: "by id; it changes to the session's folder automatically" },
  limits: 'Sessions on this machine only: not those in the cloud, nor the JSON files from before 0.0.342.',
  paths,
  resumeCommand: (head) => (head.resumable ? ['copilot', `--resume=${head.native_id}`] : undefined),
  sources,
  heads,
  read,
  textFiles: ({ path }) => [path],
  backup,
  live,
  start,
  writer,
})
