import { isProblem } from '../../events/item.ts'
import { stampOf } from '../../native/walk.ts'
import { IonError } from '../../platform/error.ts'
import { isChatCommand } from '../_shared/chat-command.ts'
import type { AgentCommand, SafetyCopy, Start, StartRequest } from '../start.ts'
import { databasePath } from './paths.ts'
import { conversationOf, historyLength } from './row.ts'

export const start: Start = {
  // The line of versions whose source was read; nothing is known of those before it.
  oldest: '1.19.0',
  newest: '1.19.7',
  // The id is its own, and nothing prints it: the store is searched by folder, time and prompt.
  sessionId: 'reported',
  interrupt: '\x03',
  cold: (order) => command([], order),
  // There is no flag for an id. It is the one conversation of the folder, and Ion has seen that it is the right one.
  warm: (order) => command(['--resume'], order),
  filesToBackUp: protect,
  preflight: obstacle,
  screens: [{ id: 'login', pattern: /You are not logged in/, asks: 'asks you to log in: q login' }],
}

function command(resume: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  // Whatever it reads from stdin it takes whole, for a resume as well. Its tools speak on stdout too, and in colours.
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
      ? { notes: ['Amazon Q cannot be reopened in silence: it sends its own prompt, for a summary, by itself'] }
      : {}),
  }
}

/** `q` hands its words on to another program, which may not get the `--` to see. Blanks in front do not count there. */
function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}

/**
 * The folder's conversation, alone: its file also holds login tokens. A cold start overwrites it at the first answer, and
 * so does a resume when this version cannot read it.
 */
function* protect(_kind: 'cold' | 'warm', { cwd, io }: StartRequest): Generator<SafetyCopy> {
  const path = databasePath(io)
  if (!stampOf(path)) return
  for (const row of conversationOf(cwd, path)) {
    if (isProblem(row)) {
      throw new IonError('failed', `cannot make the safety copy of the conversation in ${cwd}: ${row.problem}`, {
        hint: 'a start would overwrite it, so nothing was started',
      })
    }
    yield { name: 'conversation.json', content: `${JSON.stringify(row)}\n` }
  }
}

function obstacle(kind: 'cold' | 'warm', { cwd, prompt, io }: StartRequest): { why: string; hint: string } | undefined {
  if (prompt && isChatCommand(prompt.text)) {
    return {
      why: `Amazon Q takes words that begin with "${prompt.text.trim()[0]}" for a command, not for a prompt`,
      hint: 'put another word in front',
    }
  }
  if (kind === 'warm' && [...historyLength(cwd, databasePath(io))].includes(0)) {
    return {
      why: `the conversation in ${cwd} is empty, and Amazon Q would begin another in its place`,
      hint: 'begin another by --new',
    }
  }
  return undefined
}
