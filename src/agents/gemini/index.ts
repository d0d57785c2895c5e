import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read, textFiles } from './read.ts'
import { retention } from './retention.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'gemini',
  title: 'Gemini',
  aliases: ['gemini-cli'],
  binaries: ['gemini'],
  install: 'npm install -g @google/gemini-cli',
  agentapiType: 'gemini',
  minimumBytes: 200e6,
  secrets: ['oauth_creds.json', 'google_accounts.json', 'gemini-credentials.json', '*oauth-tokens*.json', '.env'],
  resume: {
    note: 'by id, in the recorded folder; unless sessionRetention is off, the next start deletes what was resumed',
  },
  limits:
    'saved tags (/chat save) are read but only Gemini itself can take them up; diffs shown on the screen are not kept',
  paths,
  retention,
  resumeCommand: (head) => (head.resumable ? ['gemini', '--resume', head.native_id] : undefined),
  sources,
  heads,
  read,
  textFiles,
  backup,
  start,
  writer,
})
