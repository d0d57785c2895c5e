import { isProblem } from '../../events/item.ts'
import { stampOf } from '../../native/walk.ts'
import { IonError } from '../../platform/error.ts'
import { refuseChatCommand } from '../_shared/chat-command.ts'
import type { AgentCommand, Refusal, SafetyCopy, Start, StartRequest } from '../start.ts'
import { databasePath } from './paths.ts'
import { conversationOf, historyLength } from './row.ts'

export const start: Start = {
  // The versions whose source was read; nothing is known about older ones.
  oldest: '1.19.0',
  newest: '1.19.7',
  // It makes its own id and prints it nowhere: the store is searched by folder, time and prompt.
  sessionId: 'reported',
  interrupt: '\x03',
  cold: (request) => command([], request),
  // There is no flag for an id. It resumes the folder's only conversation, and Ion has checked that it is the right one.
  warm: (request) => command(['--resume'], request),
  filesToBackUp,
  preflight,
  screens: [{ id: 'login', pattern: /You are not logged in/, asks: 'asks you to log in: q login' }],
}

function command(resume: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  // It reads all of stdin, on a resume as well. Its tools print to stdout too, in colours.
  if (headless) {
    return {
      args: ['chat', '--no-interactive', ...resume, ...args],
      output: 'talk',
      ...(prompt ? { stdin: 'prompt' } : {}),
    }
  }
  return {
    args: ['chat', ...resume, ...args, ...(prompt ? ['--', notAnOption(prompt.argument)] : [])],
    ...(resume.length > 0 && !prompt
      ? { notes: ['when it is reopened, Amazon Q sends a prompt of its own that asks for a summary'] }
      : {}),
  }
}

/** `q` passes its arguments to another program, perhaps without the `--`. Leading blanks are ignored there. */
function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}

/**
 * Only the folder's conversation: the file also holds login tokens. A cold start overwrites it at the first answer, and so
 * does a resume that cannot read it.
 */
function* filesToBackUp(_kind: 'cold' | 'warm', { cwd, io }: StartRequest): Generator<SafetyCopy> {
  const path = databasePath(io)
  if (!stampOf(path)) return
  for (const row of conversationOf(cwd, path)) {
    if (isProblem(row)) {
      throw new IonError('failed', `cannot copy the conversation in ${cwd} before the start: ${row.problem}`, {
        hint: 'a start would overwrite it, so nothing was started',
      })
    }
    yield { name: 'conversation.json', content: `${JSON.stringify(row)}\n` }
  }
}

function preflight(kind: 'cold' | 'warm', { cwd, prompt, io }: StartRequest): Refusal | undefined {
  const refusal = refuseChatCommand('Amazon Q', prompt)
  if (refusal) return refusal
  if (kind === 'warm' && [...historyLength(cwd, databasePath(io))].includes(0)) {
    return {
      why: `the conversation in ${cwd} is empty, and Amazon Q would start another in its place`,
      hint: 'start another with --new',
    }
  }
  return undefined
}
