import { dirname } from 'node:path'
import { isProblem } from '../../events/item.ts'
import { bounded, tableNames, withNativeDatabase } from '../../native/database.ts'
import { asArray, asObject, asString, parsedObject } from '../../native/narrow.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { asPlainText } from '../_shared/prompt-command.ts'
import { hasOption, refuseOptions } from '../_shared/start.ts'
import type { AgentCommand, OutputEvent, Refusal, Start, StartRequest } from '../start.ts'
import { readAnswer } from './answer.ts'
import { activeDatabase } from './paths.ts'
import { readQuestion } from './question.ts'
import { isWorking, readInput } from './screen.ts'
import { hasOtherSettings, settingsOf } from './settings.ts'

export const start: Start = {
  // Both were measured.
  oldest: '1.18.18',
  newest: '1.18.33',
  // Of several that start at once in a fresh home, some exit: the database is locked.
  createsDatabases: (io) => ({ folder: dirname(activeDatabase(io)), name: /^opencode.*\.db$/ }),
  sessionId: 'reported',
  commandLine: {
    switches: ['--continue', '-c'],
    resume: ['--session', '-s'],
    prompt: ['--prompt', '-p'],
  },
  // Twice, in the form that is unambiguous: two plain ones at once are Alt and Escape for it.
  interrupt: '\x1b[27u\x1b[27u',
  cold,
  warm,
  parseOutputLine,
  preflight,
  readInput,
  isWorking,
  readQuestion,
  readAnswer,
}

function cold({ headless, prompt, args, cwd }: StartRequest): AgentCommand {
  if (headless) return turn([], args, cwd)
  return { args: [...(prompt ? [`--prompt=${asTyped(prompt.argument)}`] : []), ...args], env: inFolder(cwd) }
}

/**
 * With `-s` the terminal program opens the session but does not send `--prompt`, so a prompt is a separate turn. There stdin
 * is the terminal and the words are arguments: one that contains a blank would be stored with quotes around it.
 */
function warm({ session, headless, prompt, args, cwd }: StartRequest): AgentCommand {
  if (headless) return turn(['--session', session], args, cwd)
  if (!prompt) return { args: ['-s', session, ...args], env: inFolder(cwd) }
  return {
    args: ['run', '--session', session, ...args, '--', ...prompt.argument.split(' ')],
    env: inFolder(cwd),
    endsAfterPrompt: true,
    notes: ['OpenCode accepts a prompt for an existing session only without its screen, which opens after the answer'],
  }
}

/** One turn; the prompt is stdin, exact and of any length. */
function turn(session: readonly string[], args: readonly string[], cwd: string): AgentCommand {
  return {
    args: ['run', '--format', 'json', ...session, ...args],
    stdin: 'prompt',
    output: 'lines',
    env: inFolder(cwd),
  }
}

/** It trusts PWD more than its working directory, and hangs in another folder than the session's. */
function inFolder(cwd: string): { readonly PWD: string } {
  return { PWD: cwd }
}

/**
 * A leading blank keeps the screen from treating a slash as a command, and a trailing one keeps the option parser from
 * stripping quotes around the whole text.
 */
function asTyped(text: string): string {
  return /^(["']).*\1$/s.test(text) ? `${text} ` : asPlainText(text, /^\//)
}

/** Every line has the session. Only these kinds of events are for the user. */
function parseOutputLine(line: string): OutputEvent | undefined {
  const event = parsedObject(line)
  const session = asString(event?.sessionID)
  if (!event || session === undefined) return undefined
  const text = event.type === 'text' ? asString(asObject(event.part)?.text) : undefined
  const error = event.type === 'error' ? errorOf(asObject(event.error)) : undefined
  return { session, ...(text === undefined ? {} : { text }), ...(error === undefined ? {} : { error }) }
}

function errorOf(error: Readonly<Record<string, unknown>> | undefined): string {
  return asString(asObject(error?.data)?.message) ?? asString(error?.name) ?? 'the turn failed'
}

const refusedOptions: Readonly<Record<string, string>> = {
  '--dir': 'leave it out, and start Ion in that folder',
  '--attach': 'leave it out: the sessions of another server are not in this store',
  '--fork': 'leave it out: each start would make another session',
  '--continue': 'leave it out: Ion resumes exactly the session of the task',
  '-c': 'leave it out: Ion resumes exactly the session of the task',
}

function preflight(kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  const refusal = refuseOptions(request.args, refusedOptions)
  return refusal ?? (kind === 'warm' && request.prompt ? missingProvider(request) : undefined)
}

/**
 * A prompt goes to the model of the previous one. If that provider is no longer enabled it fails, but is stored, and would
 * be sent again with the next one.
 */
function missingProvider({ session, args, cwd, io }: StartRequest): Refusal | undefined {
  if (hasOption(args, '-m') || hasOption(args, '--model')) return undefined
  const provider = lastProvider(session, io)
  if (provider === undefined || isEnabled(provider, cwd, io)) return undefined
  return {
    why: `the session uses the provider ${provider}, which OpenCode's settings do not enable`,
    hint: 'choose a model of another provider: … -- --model <provider>/<model>',
  }
}

/** Of the last prompt; undefined when it is not known. */
function lastProvider(session: string, io: Io): string | undefined {
  const rows = withNativeDatabase(activeDatabase(io), (database) =>
    tableNames(database).has('message')
      ? database
          .prepare(
            `SELECT ${bounded('data')} FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 50`,
          )
          .all(session)
      : [],
  )
  for (const row of rows) {
    if (isProblem(row)) return undefined
    const message = parsedObject((row as { data: unknown }).data)
    if (message?.role === 'user') return asString(asObject(message.model)?.providerID)
  }
  return undefined
}

/** False only when a list says so: without one, every provider that has a key may be used. */
function isEnabled(provider: string, cwd: string, io: Io): boolean {
  if (hasOtherSettings(io)) return true
  const lists = attempt(() => settingsOf(cwd, io).map((settings) => asArray(settings.enabled_providers))) ?? []
  return lists.every((list) => list === undefined) || lists.some((list) => list?.includes(provider))
}
