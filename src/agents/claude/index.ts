import { join } from 'node:path'
import { readRegularFile } from '../../native/regular-file.ts'
import type { Io } from '../../platform/io.ts'
import { defineAgent, type Retention } from '../agent.ts'
import { backup } from './backup.ts'
import { heads, sources } from './list.ts'
import { live } from './live.ts'
import { claudeRoot, paths } from './paths.ts'
import { read } from './read.ts'
import { scanner } from './scan.ts'
import { start } from './start.ts'
import { statusline } from './statusline.ts'
import { writer } from './write.ts'

export default defineAgent({
  id: 'claude',
  title: 'Claude Code',
  aliases: ['claude-code'],
  binaries: ['claude'],
  install: 'npm install -g @anthropic-ai/claude-code',
  agentapiType: 'claude',
  module: 'claude-code',
  minimumBytes: 100e6,
  secrets: ['.credentials.json', '.claude.json', 'sessions/*.key'],
  resume: { note: 'by id, in the recorded folder' },
  paths,
  retention,
  resumeCommand: (head) => (head.resumable ? ['claude', '--resume', head.native_id] : undefined),
  sources,
  heads,
  read,
  live,
  scanner,
  statusline,
  backup,
  start,
  writer,
})

const DEFAULT_DAYS = 30

/** `cleanupPeriodDays` in settings.json; session files with an older mtime are deleted at a start. */
function retention(io: Io): Retention {
  const file = join(claudeRoot(io), 'settings.json')
  let days = DEFAULT_DAYS
  try {
    const { cleanupPeriodDays } = JSON.parse(readRegularFile(file).toString('utf8')) as { cleanupPeriodDays?: unknown }
    if (typeof cleanupPeriodDays === 'number') days = cleanupPeriodDays
  } catch {
    // No settings file: the default applies.
  }
  return { days, setting: `cleanupPeriodDays in ${file}`, counts: 'file time' }
}
