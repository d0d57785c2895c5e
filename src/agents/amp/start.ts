import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { asArray, asObject, asString, parsedObject } from '../../native/narrow.ts'
import type { Io } from '../../platform/io.ts'
import type { AgentCommand, Dialog, OutputEvent, Refusal, Start, StartRequest } from '../start.ts'
import { bareHead } from './list.ts'
import { dataFolder } from './paths.ts'
import { isWorking, readAnswer, readInput, readQuestion } from './screen.ts'
import { THREAD_ID } from './thread.ts'

export const start: Start = {
  // The last tested build with threads in files, and the newest available one.
  oldest: '0.0.1768018268',
  newest: '0.0.1790142911',
  sessionId: 'reported',
  cold: (request) => command([], request),
  warm: (request) => command(['threads', 'continue', request.session], request),
  parseOutputLine,
  remote: {
    isRemoteOnly: (head) => head.format === 'server-thread',
    head: (id, files) =>
      files.some((path) => path.endsWith(`${id}.json`))
        ? undefined
        : { ...bareHead(id, ''), format: 'server-thread', revision: 'server' },
  },
  preflight,
  dialogs,
  // Escape twice, which it asks to be confirmed within a second: spelt so that two at once are not Alt and Escape.
  interrupt: '\x1b[27u\x1b[27u',
  readInput,
  isWorking,
  readQuestion,
  readAnswer,
  screens: [
    {
      id: 'login',
      pattern: /Would you like to log in to Amp\?|Starting login flow|paste your code here/,
      asks: 'asks you to log in',
    },
  ],
}

/** Set when Ion runs inside Amp: a new thread would become a child of that one, or run in its folder. */
const INHERITED = {
  AMP_THREAD_ID: undefined,
  AMP_CURRENT_THREAD_ID: undefined,
  AGENT_THREAD_ID: undefined,
  AMP_PWD: undefined,
}

/** The prompt is stdin, exact and of any length, in a terminal too: there Amp reads keys from the terminal device. */
function command(subcommand: readonly string[], { prompt, headless, args, version }: StartRequest): AgentCommand {
  const stdin = prompt ? ({ stdin: 'prompt' } as const) : {}
  if (!headless) return { args: [...subcommand, ...args], ...stdin, env: INHERITED }
  // A thread made without a terminal is archived at the end, unless this option is given.
  const keep = subcommand.length === 0 && hasServerThreads(version) ? ['--no-archive-after-execute'] : []
  return { args: [...subcommand, '-x', '--stream-json', ...keep, ...args], ...stdin, env: INHERITED, output: 'lines' }
}

/** Build numbers are seconds since 1970. */
function hasServerThreads(version: string | undefined): boolean {
  const built = Number(/^0\.0\.(\d+)/.exec(version ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
  return built >= 1_777_897_475
}

function parseOutputLine(line: string): OutputEvent | undefined {
  const event = parsedObject(line)
  if (!event) return undefined
  const { type, message, session_id, result, error, is_error } = event
  const id = asString(session_id)
  const session = id !== undefined && THREAD_ID.test(id) ? { session: id } : {}
  if (type === 'user' && isPrompt(message)) return { ...session, promptReceived: true }
  if (type !== 'result') return session
  if (is_error === true) return { ...session, error: asString(error) ?? asString(result) ?? 'the turn failed' }
  return { ...session, text: asString(result) ?? '' }
}

/** Tool results have the role of the user too. */
function isPrompt(message: unknown): boolean {
  return (asArray(asObject(message)?.content) ?? []).some((block) => asObject(block)?.type === 'text')
}

function preflight(_kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  // In a terminal it asks; but when stdin is the prompt or closed, it would wait for the login for ever.
  if ((request.headless || request.prompt) && !isLoggedIn(request.io)) {
    return { why: 'Amp is not logged in', hint: 'amp login, or set AMP_API_KEY' }
  }
  if (isOffline(request.io)) {
    return { why: 'Amp needs its server, and this machine has no network', hint: 'connect it and try again' }
  }
  return undefined
}

/** Only whether the file of secrets exists; it is not read. */
function isLoggedIn(io: Io): boolean {
  return Boolean(io.env.AMP_API_KEY) || existsSync(join(dataFolder(io), 'secrets.json'))
}

/** Without asking the network: a machine with loopback addresses only cannot reach a server. */
function isOffline({ env }: Io): boolean {
  if (/^https?:\/\/(?:localhost|127\.|\[::1\])/.test(env.AMP_URL ?? '')) return false
  return Object.values(networkInterfaces()).every((addresses) => (addresses ?? []).every(({ internal }) => internal))
}

function dialogs({ io }: Pick<StartRequest, 'io'>): Dialog[] {
  return isLoggedIn(io) ? [] : [{ id: 'login', asks: 'asks you to log in', certain: true }]
}
