import { isProblem, type Problem } from '../../events/item.ts'
import { inPlace, tableNames, withNativeDatabase } from '../../native/database.ts'
import { stampOf } from '../../native/walk.ts'
import { IonError } from '../../platform/error.ts'
import { findExecutable } from '../../platform/executable.ts'
import { readApproval, readChatInput } from '../_shared/chat-prompt.ts'
import { CHAT_COMMAND, refuseCommand } from '../_shared/prompt-command.ts'
import type { AgentCommand, Refusal, SafetyCopy, Start, StartRequest } from '../start.ts'
import { databasePath } from './paths.ts'

export const start: Start = {
  // The versions whose source was read; nothing is known about older ones.
  oldest: '1.19.0',
  newest: '1.19.7',
  // It makes its own id and prints it nowhere: the store is searched by folder, time and prompt.
  sessionId: 'reported',
  interrupt: '\x03',
  commandLine: {
    subcommands: ['chat'],
    switches: ['--resume', '-r', '--no-interactive'],
    lastIsPrompt: { unlessValueOf: ['--agent', '--model', '--profile'] },
  },
  cold: (request) => command([], request),
  // There is no flag for an id. It resumes the folder's only conversation, and Ion has checked that it is the right one.
  warm: (request) => command(['--resume'], request),
  filesToBackUp,
  preflight,
  readInput: readChatInput,
  hidesInputWhileWorking: true,
  readQuestion: readApproval,
  screens: [{ id: 'login', pattern: /You are not logged in/, asks: 'asks you to log in: q login' }],
}

function command(resume: readonly string[], { headless, prompt, args, io }: StartRequest): AgentCommand {
  // It reads all of stdin, on a resume as well. Its tools print to stdout too, in colours.
  if (headless) {
    return {
      args: ['chat', '--no-interactive', ...resume, ...args],
      output: 'talk',
      ...(prompt ? { stdin: 'prompt' } : {}),
    }
  }
  const start = ['chat', ...resume, ...args]
  if (prompt) return { args: [...start, '--', notAnOption(prompt.argument)] }
  if (resume.length === 0) return { args: start }
  if (findExecutable(['bash'], io)) return { args: [...start, '--', SILENT_INPUT] }
  return {
    args: start,
    notes: ['without bash on the PATH, Amazon Q sends its own prompt for a summary when it resumes'],
  }
}

/**
 * Without input, a resume sends a prompt for a summary: a model call and a turn that nobody asked for. A shell command is
 * input that reaches neither the model nor the store; this one prints nothing. Amazon Q runs it with bash.
 */
const SILENT_INPUT = '!true'

/** `q` passes its arguments to another program, perhaps without the `--`. Leading blanks are ignored there. */
function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}

/**
 * The folder's row where it is not a conversation that Ion could archive: a start overwrites it at the first answer, as does
 * a resume that cannot read it. Only that row: the file also holds login tokens.
 */
function* filesToBackUp(_kind: 'cold' | 'warm', { cwd, io }: StartRequest): Generator<SafetyCopy> {
  const path = databasePath(io)
  if (!stampOf(path)) return
  for (const found of rowValue('value', cwd, path)) {
    if (isProblem(found)) {
      throw new IonError('failed', `cannot copy the conversation in ${cwd} before the start: ${found.problem}`, {
        hint: 'a start would overwrite it, so nothing was started',
      })
    }
    const row = { table: 'conversations', key: cwd, value: String(found.value) }
    yield { name: 'conversation.json', content: `${JSON.stringify(row)}\n` }
  }
}

/** What a row lacks without which a resume silently starts another conversation, and overwrites it; null if nothing. */
const UNUSABLE = `CASE WHEN NOT json_valid(value) THEN 'is not JSON'
  WHEN json_type(value, '$.history') IS NOT 'array' THEN 'has no history'
  WHEN json_array_length(value, '$.history') = 0 THEN 'is empty'
  WHEN json_type(value, '$.valid_history_range') IS NOT 'array' THEN 'has no valid_history_range'
  WHEN json_type(value, '$.transcript') IS NOT 'array' THEN 'has no transcript'
  WHEN json_type(value, '$.tools') IS NOT 'object' THEN 'has no tools' END`

/** Of the folder's only row; nothing where it has none. No other table is queried. */
function rowValue(expression: string, folder: string, path: string): Iterable<{ readonly value: unknown } | Problem> {
  const select = `SELECT ${expression} AS value FROM conversations WHERE key = ?`
  return withNativeDatabase(
    path,
    (database) =>
      tableNames(database).has('conversations') ? (database.prepare(select).all(folder) as { value: unknown }[]) : [],
    inPlace,
  )
}

function preflight(kind: 'cold' | 'warm', { cwd, prompt, io }: StartRequest): Refusal | undefined {
  const refusal = refuseCommand('Amazon Q', prompt, CHAT_COMMAND)
  if (refusal) return refusal
  if (kind === 'cold') return undefined
  const [found] = rowValue(UNUSABLE, cwd, databasePath(io))
  if (!found || isProblem(found) || found.value === null) return undefined
  return {
    why: `the conversation in ${cwd} ${String(found.value)}, and Amazon Q would start another in its place`,
    hint: 'start another with --new',
  }
}
