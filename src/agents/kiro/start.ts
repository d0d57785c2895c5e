import { join } from 'node:path'
import { parseLines } from '../../native/line-window.ts'
import { asArray, asObject } from '../../native/narrow.ts'
import { readContext } from '../../native/read-context.ts'
import { stampOf } from '../../native/walk.ts'
import { readTail } from '../../native/window.ts'
import type { Io } from '../../platform/io.ts'
import { isChatCommand } from '../_shared/chat-command.ts'
import type { AgentCommand, Start, StartRequest } from '../start.ts'
import { databasePath, sessionsFolder } from './paths.ts'

export const start: Start = {
  // Before it, an id that the engine did not find began a new session in silence.
  oldest: '2.21.1',
  newest: '2.28.0',
  // A new id cannot be given. What stream-json looks like is not documented, so the store is searched.
  sessionId: 'reported',
  cold: (order) => command(engineGiven(order.args) ?? ['--v2'], [], order, []),
  warm,
  preflight: (_kind, { prompt }) =>
    prompt && isChatCommand(prompt.text)
      ? {
          why: `Kiro takes words that begin with "${prompt.text.trim()[0]}" for a command, not for a prompt`,
          hint: 'put another word in front',
        }
      : undefined,
  screens: [{ id: 'login', pattern: /not logged in|kiro-cli login/i, asks: 'asks you to log in: kiro-cli login' }],
}

/** The engine is that of the session, whatever was asked for at another start: no engine finds the id of another. */
function warm(order: StartRequest): AgentCommand {
  const engine = engineOf(order.session, order.io)
  // A conversation of the first engine that stands in two folders has the folder behind its id.
  const id = order.session.split('@')[0]!
  return command([engine], ['--resume-id', id], order, notesOf(engine, order))
}

/** Without a terminal the prompt goes by stdin, which is read whole; in one it is the argument after `--`. */
function command(
  engine: readonly string[],
  resume: readonly string[],
  { headless, prompt, args }: StartRequest,
  notes: readonly string[],
): AgentCommand {
  const words = [...engine, ...resume]
  const rest = withoutEngine(args)
  const said = notes.length > 0 ? { notes } : {}
  if (headless) {
    return {
      args: ['chat', ...words, '--no-interactive', ...rest],
      // A transcript for people, with the tools in it.
      output: 'talk',
      ...(prompt ? { stdin: 'prompt' } : {}),
      ...said,
    }
  }
  return { args: ['chat', ...words, ...rest, ...(prompt ? ['--', prompt.argument] : [])], ...said }
}

const ENGINE = /^--(?:classic|v2|v3|agent-engine(?:=.*)?)$/

/** The engine that the user's arguments name. */
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
    return ['this engine of Kiro may send a prompt of its own, for a summary, when it is reopened']
  }
  if (engine === '--v2' && isCutOff(`${v2File(session, io)}.jsonl`, io)) {
    return ['the last turn was cut off; Kiro is reported not to reopen such a session (then: --new)']
  }
  return []
}

/** The last line is not the end of an answer. */
function isCutOff(path: string, io: Io): boolean {
  try {
    const last = parseLines(readTail(path, 64 * 1024, readContext(io)), 'whole').at(-1)
    if (last?.kind !== 'AssistantMessage') return last !== undefined
    return (asArray(asObject(last.data)?.content) ?? []).some((block) => asObject(block)?.kind === 'toolUse')
  } catch {
    return false
  }
}
