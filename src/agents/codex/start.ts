import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asObject, asString, parsedObject } from '../../native/narrow.ts'
import { settingsText } from '../../native/settings.ts'
import { compareVersions } from '../../platform/compare-versions.ts'
import { projectOf } from '../../platform/project.ts'
import type { AgentCommand, Dialog, OutputEvent, Preparation, Start, StartRequest } from '../start.ts'
import { obstacle } from './obstacle.ts'
import { configFile, isLoggedOut, providerOf, settings } from './settings.ts'
import { withTomlString } from './toml.ts'

export const start: Start = {
  // The oldest that was run, cold and warm, both ways.
  oldest: '0.100.0',
  newest: '0.166.0',
  sessionId: 'reported',
  cold: (order) => command([], order),
  warm: (order) => command(['resume', order.session], order),
  parseOutputLine: told,
  preflight: obstacle,
  dialogs,
  screens: [
    { id: 'trust', pattern: /Trust this folder\?/, asks: 'asks whether you trust this folder' },
    { id: 'login', pattern: /Sign in with ChatGPT/, asks: 'asks you to sign in' },
    { id: 'folder', pattern: /Working directory · resume/, asks: 'asks in which folder to work' },
    {
      id: 'in-use',
      pattern: /This conversation is open in another app/,
      asks: 'says that the session is open elsewhere',
    },
  ],
  prepare: {
    trust: ({ cwd, io }) =>
      prepared({ cwd, io }, ['projects', projectOf(cwd)], 'trust_level', 'trusted', `of ${projectOf(cwd)}`),
    folder: (order) => prepared(order, ['tui'], 'resume_cwd', 'session', 'of tui'),
  },
}

/**
 * The user's arguments stand before `resume`: there all of them are taken, after it not all. An option of ours comes
 * next, because `--image` takes every word up to it.
 */
function command(resume: readonly string[], { headless, prompt, args, version }: StartRequest): AgentCommand {
  if (headless) {
    // The dash: the prompt is stdin, exact and of any length. An open stdin beside a prompt would be waited for.
    return {
      args: ['exec', ...args, '--json', ...resume, ...(prompt ? ['-'] : [])],
      ...(prompt ? { stdin: 'prompt' } : {}),
      output: 'lines',
    }
  }
  const own = hasDaemon(version) ? ['--no-daemon'] : []
  return { args: [...args, ...own, ...resume, ...(prompt ? ['--', prompt.argument] : [])] }
}

/**
 * Since 0.156 the session of a terminal is given to a background process, which lives on and keeps it locked. Versions
 * before that do not know the option against it.
 */
function hasDaemon(version: string | undefined): boolean {
  return version === undefined || compareVersions(version, '0.156.0') >= 0
}

/** `item.completed` of type `error` is a warning, and `error` comes again as `turn.failed`, or is a try of several. */
function told(line: string): OutputEvent | undefined {
  const event = parsedObject(line)
  if (!event) return undefined
  const session = asString(event.thread_id)
  if (event.type === 'thread.started' && session !== undefined) return { session }
  const item = asObject(event.item)
  const text = asString(item?.text)
  if (event.type === 'item.completed' && item?.type === 'agent_message' && text !== undefined) return { text }
  const error = asString(asObject(event.error)?.message)
  return event.type === 'turn.failed' && error !== undefined ? { error: innerMessage(error) } : undefined
}

/** What the service said is often JSON in a text. */
function innerMessage(text: string): string {
  return asString(asObject(parsedObject(text)?.error)?.message) ?? text
}

function dialogs({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const setting = settings(io)
  if (!setting) return []
  const found: Dialog[] = []
  if (isLoggedOut(providerOf(args, cwd, io, setting), io, setting)) {
    found.push({ id: 'login', asks: 'asks you to sign in', certain: true })
  }
  // It asks in repositories only, and keeps the answer for the whole of one.
  const project = projectOf(cwd)
  const git = join(project, '.git')
  const isKnown = [cwd, project].some((folder) => setting('projects', folder, 'trust_level') !== undefined)
  if (existsSync(git) && !isKnown) {
    // Of a worktree the answer is kept for the repository that it is of.
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: statSync(git).isDirectory() })
  }
  return found
}

function prepared(
  { io }: Pick<StartRequest, 'cwd' | 'io'>,
  table: readonly string[],
  key: string,
  value: string,
  of: string,
): Preparation {
  const file = configFile(io)
  const content = withTomlString(settingsText(file), table, key, value)
  return { file, content, sets: `${key} ${of}` }
}
