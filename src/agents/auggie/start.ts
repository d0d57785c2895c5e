import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { asArray, asString, parsedObject } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { isWithin, projectOf } from '../../platform/project.ts'
import { changeSettings, hasOption, refuseOptions } from '../_shared/start.ts'
import type { AgentCommand, Dialog, OutputEvent, Refusal, Start, StartRequest } from '../start.ts'
import { isWorking, readAnswer, readInput } from './conversation.ts'
import { readQuestion } from './question.ts'

export const start: Start = {
  // Both were measured.
  oldest: '0.25.2',
  newest: '0.36.0',
  sessionId: 'reported',
  commandLine: {
    switches: ['--continue', '-c', '--print', '-p'],
    resume: ['--resume', '-r'],
    session: ['--workspace-root', '-w'],
    prompt: ['--instruction', '-i'],
    promptFile: ['--instruction-file', '-if'],
  },
  cold: (request) => command([], request),
  warm: (request) => command(['--resume', request.session], request),
  parseOutputLine,
  // It works in the top folder of the repository, and the session records that one.
  recordedCwd: projectOf,
  preflight,
  dialogs,
  readInput,
  isWorking,
  readQuestion,
  readAnswer,
  screens: [
    { id: 'login', pattern: /Login to continue/, asks: 'asks you to log in' },
    { id: 'onboarding', pattern: /Welcome to Augment Code!/, asks: 'shows its first-run pages' },
    { id: 'indexing', pattern: /Workspace Indexing Permission/, asks: 'asks whether it may index this folder' },
  ],
  prepare: {
    onboarding: ({ io }) =>
      changeSettings(inHome(io, '.auggie.json'), 'onboardingVersion', (config) => ({
        ...config,
        onboardingVersion: ONBOARDING,
      })),
    indexing: ({ cwd, io }) => {
      const folder = projectOf(cwd)
      return changeSettings(inHome(io, 'settings.json'), `indexingAllowDirs: ${folder}`, (config) => ({
        ...config,
        indexingAllowDirs: [...new Set([...(asArray(config.indexingAllowDirs) ?? []), folder])],
      }))
    },
  },
}

/** What 0.36.0 writes after its welcome pages. */
const ONBOARDING = '1.0.0'

/**
 * The prompt is a file in both modes: exact except for surrounding blanks, and of any length. The screen treats one that
 * begins with a slash, even a path, as one of its commands; such a prompt is sent without the screen.
 */
function command(session: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  const all = [...session, ...(prompt ? ['--instruction-file', prompt.file] : []), ...args]
  if (headless) return { args: ['--print', '--output-format', 'json', ...all], output: 'lines' }
  if (!prompt?.text.trimStart().startsWith('/')) return { args: all }
  return {
    args: ['--print', ...all],
    endsAfterPrompt: true,
    notes: ['Auggie accepts a prompt that begins with / only without its screen, which opens after the answer'],
  }
}

/** One line at the end; none when the turn failed, for then the reason is on stderr. */
function parseOutputLine(line: string): OutputEvent | undefined {
  const result = parsedObject(line)
  if (result?.type !== 'result') return undefined
  const session = asString(result.session_id)
  const text = asString(result.result) ?? ''
  return { ...(session ? { session } : {}), ...(result.is_error === true ? { error: text } : { text }) }
}

const refusedOptions: Readonly<Record<string, string>> = {
  '--augment-cache-dir': 'leave it out; a link from ~/.augment to that folder does the same',
  '--dont-save-session': 'leave it out: a session that is not saved cannot be resumed',
  '--workspace-root': 'leave it out, and start Ion in that folder',
  '-w': 'leave it out, and start Ion in that folder',
  '--continue': 'leave it out: Ion resumes exactly the session of the task',
  '-c': 'leave it out: Ion resumes exactly the session of the task',
}

function preflight(_kind: 'cold' | 'warm', { headless, args, io }: StartRequest): Refusal | undefined {
  const refusal = refuseOptions(args, refusedOptions)
  if (refusal) return refusal
  // In a terminal it asks.
  return headless && !isLoggedIn(io, args) ? { why: 'Auggie is not logged in', hint: 'auggie login' } : undefined
}

/** Whether there are credentials; their content is not read. */
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

/** Answered for a folder or one above it. A folder that contains the home is never indexed, so it does not ask. */
function isIndexingAnswered(folder: string, io: Io): boolean {
  const { indexingAllowDirs, indexingDenyDirs } = readSettings(inHome(io, 'settings.json'))
  const answered = [...(asArray(indexingAllowDirs) ?? []), ...(asArray(indexingDenyDirs) ?? [])]
  const isAnswered = (value: unknown): boolean =>
    typeof value === 'string' && value !== '' && isWithin(folder, resolve(value))
  return isWithin(io.home, folder) || answered.some(isAnswered)
}

function inHome(io: Io, name: string): string {
  return join(io.home, '.augment', name)
}
