import { asObject, asString } from '../../native/narrow.ts'
import type { AgentCommand, OutputEvent, Start, StartRequest } from '../start.ts'
import { preflight } from './preflight.ts'
import { parseObject } from './records.ts'

export const start: Start = {
  // Both were measured.
  oldest: '1.18.18',
  newest: '1.18.33',
  sessionId: 'reported',
  cold,
  warm,
  parseOutputLine,
  preflight,
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
  if (text.startsWith('/')) return ` ${text}`
  return /^(["']).*\1$/s.test(text) ? `${text} ` : text
}

/** Every line has the session. Only these kinds of events are for the user. */
function parseOutputLine(line: string): OutputEvent | undefined {
  const event = line.startsWith('{') ? parseObject(line) : undefined
  const session = asString(event?.sessionID)
  if (!event || session === undefined) return undefined
  const text = event.type === 'text' ? asString(asObject(event.part)?.text) : undefined
  const error = event.type === 'error' ? errorOf(asObject(event.error)) : undefined
  return { session, ...(text === undefined ? {} : { text }), ...(error === undefined ? {} : { error }) }
}

function errorOf(error: Readonly<Record<string, unknown>> | undefined): string {
  return asString(asObject(error?.data)?.message) ?? asString(error?.name) ?? 'the turn failed'
}
