import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { asArray, asString, parsedObject } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import type { AgentCommand, Dialog, OutputEvent, Preparation, Start, StartRequest } from '../start.ts'

export const start: Start = {
  // Both were measured.
  oldest: '0.25.2',
  newest: '0.36.0',
  sessionId: 'reported',
  cold: (order) => command([], order),
  warm: (order) => command(['--resume', order.session], order),
  parseOutputLine: told,
  // It goes up to the top of the repository, and the session names that folder.
  recordedCwd: projectOf,
  preflight: obstacle,
  dialogs,
  screens: [
    { id: 'login', pattern: /Login to continue/, asks: 'asks you to log in' },
    { id: 'onboarding', pattern: /Welcome to Augment Code!/, asks: 'shows its first-run pages' },
    { id: 'indexing', pattern: /Workspace Indexing Permission/, asks: 'asks whether it may index this folder' },
  ],
  prepare: {
    onboarding: ({ io }) =>
      prepared(inHome(io, '.auggie.json'), 'onboardingVersion', (config) => ({
        ...config,
        onboardingVersion: ONBOARDING,
      })),
    indexing: ({ cwd, io }) => {
      const folder = projectOf(cwd)
      return prepared(inHome(io, 'settings.json'), `indexingAllowDirs: ${folder}`, (config) => ({
        ...config,
        indexingAllowDirs: [...new Set([...(asArray(config.indexingAllowDirs) ?? []), folder])],
      }))
    },
  },
}

/** What 0.36.0 writes once its welcome pages were seen. */
const ONBOARDING = '1.0.0'

/**
 * The prompt is a file in both ways: exact, but for blanks around it, and of any length. The screen takes one that
 * begins with a slash, be it a path, for a command of its own; then it goes in without the screen.
 */
function command(session: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  const words = [...session, ...(prompt ? ['--instruction-file', prompt.file] : []), ...args]
  if (headless) return { args: ['--print', '--output-format', 'json', ...words], output: 'lines' }
  if (!prompt?.text.trimStart().startsWith('/')) return { args: words }
  return {
    args: ['--print', ...words],
    endsAfterPrompt: true,
    notes: ['Auggie takes a prompt that begins with / only without its screen, which opens after the answer'],
  }
}

/** One line at the end, and none when the turn failed: then the reason is on stderr. */
function told(line: string): OutputEvent | undefined {
  const result = parsedObject(line)
  if (result?.type !== 'result') return undefined
  const session = asString(result.session_id)
  const text = asString(result.result) ?? ''
  return { ...(session ? { session } : {}), ...(result.is_error === true ? { error: text } : { text }) }
}

/** Arguments after which Ion would not find the session again, and so would send its prompt twice. */
const LOSING: Readonly<Record<string, string>> = {
  '--augment-cache-dir': 'leave it out; a link from ~/.augment to that folder does the same',
  '--dont-save-session': 'leave it out: a session that is not saved cannot be resumed',
  '--workspace-root': 'leave it out, and start Ion in that folder',
  '-w': 'leave it out, and start Ion in that folder',
  '--continue': 'leave it out: Ion resumes exactly the session of the task',
  '-c': 'leave it out: Ion resumes exactly the session of the task',
}

function obstacle(
  _kind: 'cold' | 'warm',
  { headless, args, io }: StartRequest,
): ReturnType<NonNullable<Start['preflight']>> {
  for (const [name, hint] of Object.entries(LOSING)) {
    if (hasOption(args, name)) return { why: `with ${name} the session would not be found again`, hint }
  }
  // In a terminal it asks.
  if (headless && !isLoggedIn(io, args)) return { why: 'Auggie is not logged in', hint: 'auggie login' }
  return undefined
}

function hasOption(args: readonly string[], name: string): boolean {
  return args.some((word) => word === name || word.startsWith(`${name}=`))
}

/** Whether there is something to log in with; what it says is not looked at. */
function isLoggedIn(io: Io, args: readonly string[]): boolean {
  if (io.env.AUGMENT_SESSION_AUTH || hasOption(args, '--augment-session-json')) return true
  return existsSync(inHome(io, 'session.json'))
}

function dialogs({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const found: Dialog[] = []
  if (!isLoggedIn(io, args)) found.push({ id: 'login', asks: 'asks you to log in', certain: true })
  if (!asString(readSettings(inHome(io, '.auggie.json')).onboardingVersion)) {
    found.push({ id: 'onboarding', asks: 'shows its first-run pages', certain: true })
  }
  if (!hasOption(args, '--allow-indexing') && !isIndexingAnswered(projectOf(cwd), io)) {
    found.push({ id: 'indexing', asks: 'asks whether it may index this folder', certain: true })
  }
  return found
}

/** For a folder or one above it; what holds the home is never indexed, and not asked about. */
function isIndexingAnswered(folder: string, io: Io): boolean {
  const { indexingAllowDirs, indexingDenyDirs } = readSettings(inHome(io, 'settings.json'))
  const answered = [...(asArray(indexingAllowDirs) ?? []), ...(asArray(indexingDenyDirs) ?? [])]
  return isWithin(folder, io.home) || answered.some((value) => isWithin(asString(value) ?? '', folder))
}

function isWithin(folder: string, path: string): boolean {
  return folder !== '' && !relative(folder, path).startsWith('..')
}

function inHome(io: Io, name: string): string {
  return join(io.home, '.augment', name)
}

type Config = Readonly<Record<string, unknown>>

function prepared(file: string, sets: string, change: (config: Config) => Config): Preparation {
  return { file, sets, content: `${JSON.stringify(change(readSettings(file)), null, 2)}\n` }
}
