import { basename, dirname, join } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import { defineAgent } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { HISTORY_FILE, isTaskFile, ownSession, paths } from './paths.ts'
import { read } from './read.ts'
import { start } from './start.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'aider',
  title: 'Aider',
  aliases: ['aider-chat'],
  binaries: ['aider'],
  install: 'python -m pip install aider-install && aider-install',
  agentapiType: 'aider',
  secrets: ['.env', '.aider.conf.yml', '.aider/oauth-keys.env'],
  resume: {
    note: 'restores the whole history file as plain text, long ones as a summary; added files are not restored',
  },
  limits:
    'Markdown without roles, ids or times: roles are inferred, times after the start of a run are guessed, token counts are rounded',
  paths,
  resumeCommand,
  sources,
  heads,
  read,
  textFiles: ({ path }) => [path],
  backup,
  start,
  writer,
})

/** Without a message it sends nothing, unless the history has to be summarised first. */
function resumeCommand(head: SessionHead): string[] | undefined {
  if (!head.resumable) return undefined
  const { path } = head
  if (basename(path) === HISTORY_FILE) return ['aider', '--restore-chat-history']
  const folder = dirname(path)
  const input = isTaskFile(path) || ownSession(path) ? ['--input-history-file', join(folder, 'input')] : []
  const log = isTaskFile(path) ? ['--llm-history-file', join(folder, 'llm.log')] : []
  return ['aider', '--chat-history-file', path, ...input, ...log, '--restore-chat-history']
}
