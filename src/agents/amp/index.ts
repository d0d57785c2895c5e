import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { read } from './read.ts'
import { remote } from './remote.ts'
import { start } from './start.ts'

export default defineAgent({
  id: 'amp',
  title: 'Amp',
  aliases: ['sourcegraph-amp', 'ampcode'],
  binaries: ['amp'],
  install: 'npm install -g @ampcode/cli',
  agentapiType: 'amp',
  module: 'sourcegraph-amp',
  minimumBytes: 10e6,
  secrets: ['secrets.json'],
  resume: {
    note: 'by thread id; threads are on the server, so it needs the network and AMP_API_KEY',
  },
  paths,
  resumeCommand: (head) => (head.resumable ? ['amp', 'threads', 'continue', head.native_id] : undefined),
  sources,
  heads,
  read,
  textFiles: ({ path, format }) => (format === 'remote-export' || format === 'server-thread' ? undefined : [path]),
  backup,
  remote,
  start,
  limits: 'since spring 2026 threads are on the server: local files have only ids, --remote reads the rest',
})
