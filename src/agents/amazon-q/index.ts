import {
  conversationHeads,
  conversationSource,
  conversationText,
  readConversation,
} from '../_shared/conversation-rows.ts'
import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { dataFolder, paths } from './paths.ts'
import { start } from './start.ts'

export default defineAgent({
  id: 'amazon-q',
  title: 'Amazon Q',
  aliases: ['q', 'amazonq', 'amazon-q-developer'],
  binaries: ['q'],
  install: 'see github.com/aws/amazon-q-developer-cli (in maintenance; Kiro CLI is its successor)',
  agentapiType: 'amazonq',
  // The file also holds the login tokens (table auth_kv): Ion queries conversations and never copies the file.
  secrets: ['data.sqlite3', 'data.sqlite3-*'],
  resume: {
    note: 'the only conversation of a folder; the one that a start replaces is archived first, and `ion run --restore` swaps them',
  },
  paths,
  // There is no flag for an id: it must run in the session's folder, which has only this conversation.
  resumeCommand: (head) => (head.resumable ? ['q', 'chat', '--resume'] : undefined),
  sources: (reading) => conversationSource(dataFolder(reading.io), reading),
  heads: ({ path }) =>
    conversationHeads('amazon-q', path, [{ table: 'conversations', format: 'sqlite', resumable: true }]),
  read: (head, reading) => readConversation(head, 'conversations', reading),
  textRows: (head) => conversationText(head, 'conversations'),
  backup,
  start,
  onePerFolder: true,
  limits: 'one conversation per folder, overwritten by the next one there; no token counts',
})
