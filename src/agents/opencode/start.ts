import { asObject, asString } from '../../native/narrow.ts'
import type { AgentCommand, OutputEvent, Start, StartRequest } from '../start.ts'
import { obstacle } from './obstacle.ts'
import { parseObject } from './records.ts'

export const start: Start = {
  // Both were measured.
  oldest: '1.18.18',
  newest: '1.18.33',
  sessionId: 'reported',
  cold,
  warm,
  parseOutputLine: told,
  preflight: obstacle,
}

function cold({ headless, prompt, args, cwd }: StartRequest): AgentCommand {
  if (headless) return turn([], args, cwd)
  return { args: [...(prompt ? [`--prompt=${asTyped(prompt.argument)}`] : []), ...args], env: inFolder(cwd) }
}

/**
 * With `-s` the terminal program opens the session and leaves `--prompt` unsent, so a prompt is a turn of its own. There
 * stdin is the terminal, and the words are arguments: one with a blank in it would come with quotes around it.
 */
function warm({ session, headless, prompt, args, cwd }: StartRequest): AgentCommand {
  if (headless) return turn(['--session', session], args, cwd)
  if (!prompt) return { args: ['-s', session, ...args], env: inFolder(cwd) }
  return {
    args: ['run', '--session', session, ...args, '--', ...prompt.argument.split(' ')],
    env: inFolder(cwd),
    endsAfterPrompt: true,
    notes: ['OpenCode takes a prompt for an older session only without its screen, which opens after the answer'],
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

/** It believes PWD more than its folder, and from another than the session's it hangs. */
function inFolder(cwd: string): { readonly PWD: string } {
  return { PWD: cwd }
}

/**
 * A blank in front keeps the screen from taking a slash for a command of its own, and one behind keeps the reader of
 * options from taking quotes off that stand around it all.
 */
function asTyped(text: string): string {
  if (text.startsWith('/')) return ` ${text}`
  return /^(["']).*\1$/s.test(text) ? `${text} ` : text
}

/** Every line has the session. Of the kinds of events, only these are for the user. */
function told(line: string): OutputEvent | undefined {
  const event = line.startsWith('{') ? parseObject(line) : undefined
  const session = asString(event?.sessionID)
  if (!event || session === undefined) return undefined
  const text = event.type === 'text' ? asString(asObject(event.part)?.text) : undefined
  const error = event.type === 'error' ? errorOf(asObject(event.error)) : undefined
  return { session, ...(text === undefined ? {} : { text }), ...(error === undefined ? {} : { error }) }
}

function errorOf(error: Readonly<Record<string, unknown>> | undefined): string {
  return asString(asObject(error?.data)?.message) ?? asString(error?.name) ?? 'it failed'
}
