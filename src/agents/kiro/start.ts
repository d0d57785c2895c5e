import { join } from 'node:path'
import { parseLines } from '../../native/line-window.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { readContext } from '../../native/read-context.ts'
import { stampOf } from '../../native/walk.ts'
import { readTail } from '../../native/window.ts'
import type { Io } from '../../platform/io.ts'
import { readApproval } from '../_shared/chat-prompt.ts'
import { CHAT_COMMAND, refuseCommand } from '../_shared/prompt-command.ts'
import type { AgentCommand, Start, StartRequest } from '../start.ts'
import { databasePath, sessionsFolder } from './paths.ts'

export const start: Start = {
  // Older ones silently start a new session when the engine does not find the id.
  oldest: '2.21.1',
  newest: '2.28.0',
  // It accepts no new id. The format of stream-json is not documented, so the store is searched.
  sessionId: 'reported',
  commandLine: {
    subcommands: ['chat'],
    switches: ['--resume', '-r', '--resume-picker', '--no-interactive'],
    session: ['--resume-id'],
    lastIsPrompt: { unlessValueOf: ['--agent', '--model', '--agent-engine', '--output-format'] },
  },
  cold: (request) => command(engineGiven(request.args) ?? ['--v2'], [], request, []),
  warm,
  preflight: (_kind, { prompt }) => refuseCommand('Kiro', prompt, CHAT_COMMAND),
  // The classic engine asks so. What the input of the others looks like is not known, so neither is where a message goes.
  readQuestion: readApproval,
  screens: [{ id: 'login', pattern: /not logged in|kiro-cli login/i, asks: 'asks you to log in: kiro-cli login' }],
}

/** The engine is the session's, whatever an earlier start asked for: no engine finds the id of another. */
function warm(request: StartRequest): AgentCommand {
  const engine = engineOf(request.session, request.io)
  // A v1 conversation that exists in two folders has the folder after its id.
  const id = request.session.split('@')[0]!
  return command([engine], ['--resume-id', id], request, notesOf(engine, request))
}

/** Without a terminal the prompt is stdin, which is read to the end; in one it is the argument after `--`. */
function command(
  engine: readonly string[],
  resume: readonly string[],
  { headless, prompt, args }: StartRequest,
  notes: readonly string[],
): AgentCommand {
  const rest = withoutEngine(args)
  const noted = notes.length > 0 ? { notes } : {}
  if (headless) {
    return {
      args: ['chat', ...engine, ...resume, '--no-interactive', ...rest],
      // A transcript for people, tools included.
      output: 'talk',
      ...(prompt ? { stdin: 'prompt' } : {}),
      ...noted,
    }
  }
  return { args: ['chat', ...engine, ...resume, ...rest, ...(prompt ? ['--', prompt.argument] : [])], ...noted }
}

const ENGINE = /^--(?:classic|v2|v3|agent-engine(?:=.*)?)$/

/** The engine that the user's arguments name, as arguments. */
function engineGiven(args: readonly string[]): readonly string[] | undefined {
  const at = args.findLastIndex((word) => ENGINE.test(word))
  if (at < 0) return undefined
  return args[at] === '--agent-engine' ? args.slice(at, at + 2) : [args[at]!]
}

function withoutEngine(args: readonly string[]): string[] {
  return args.filter((word, index) => !ENGINE.test(word) && args[index - 1] !== '--agent-engine')
}

function engineOf(session: string, io: Io): '--classic' | '--v2' | '--v3' {
  if (session.startsWith('sess_')) return '--v3'
  const file = v2File(session, io)
  if (stampOf(`${file}.json`) || stampOf(`${file}.jsonl`)) return '--v2'
  return stampOf(databasePath(io)) ? '--classic' : '--v2'
}

function v2File(session: string, io: Io): string {
  return join(sessionsFolder(io), 'cli', session)
}

function notesOf(engine: string, { session, prompt, headless, io }: StartRequest): string[] {
  if (engine === '--classic' && !prompt && !headless) {
    return ['when it is reopened, this engine of Kiro may send its own prompt for a summary']
  }
  if (engine === '--v2' && isInterrupted(`${v2File(session, io)}.jsonl`, io)) {
    return ['the last turn was interrupted; Kiro is reported not to reopen such a session (then use --new)']
  }
  return []
}

/** The last line does not end an answer. */
function isInterrupted(path: string, io: Io): boolean {
  try {
    const last = parseLines(readTail(path, 64 * 1024, readContext(io)), 'whole').at(-1)
    if (last?.kind !== 'AssistantMessage') return last !== undefined
    return (asArray(asObject(last.data)?.content) ?? []).some((block) => asObject(block)?.kind === 'toolUse')
  } catch {
    return false
  }
}
