import { type InputBox, readInputBox, rowsAboveBox } from '../_shared/input-box.ts'
import { refuseCommand, SLASH_COMMAND } from '../_shared/prompt-command.ts'
import type { AgentCommand, Start, StartRequest } from '../start.ts'
import { readAnswer } from './answer.ts'
import { readQuestion } from './question.ts'

/** A quotation in an answer has a colour. */
const BOX: InputBox = { prompt: /^> ?/, isUncoloured: true, below: /^$/ }

export const start: Start = {
  oldest: '1.37.0',
  newest: '1.52.0',
  sessionId: 'reported',
  interrupt: '\x03',
  commandLine: {
    subcommands: ['run', 'session'],
    switches: ['--interactive', '-s', '--resume', '-r'],
    resume: ['--session-id'],
    session: ['--name', '-n'],
    prompt: ['--text', '-t'],
    promptFile: ['--instructions', '-i'],
  },
  cold: (request) => command(['--name', nameOf(request.session)], request),
  // By id: names may repeat.
  warm: (request) => command(['--resume', '--session-id', request.session], request),
  // Names are not unique in general, but this one is.
  matchesRequest: (head, session) => head.name === nameOf(session),
  preflight: (_kind, { prompt }) => refuseCommand('Goose', prompt, SLASH_COMMAND),
  readInput: (rows) => readInputBox(rows, BOX),
  readAnswer: (rows) => readAnswer(rowsAboveBox(rows, BOX)),
  hidesInputWhileWorking: true,
  readQuestion,
  screens: [
    { id: 'folder', pattern: /working directory.*differs|Switch back to/i, asks: 'asks in which folder to work' },
    { id: 'configure', pattern: /No provider configured|goose configure/, asks: 'is not configured yet' },
  ],
}

/** It accepts no id, but a name; the row exists before the first model call. */
function nameOf(session: string): string {
  return `ion-${session}`
}

/** With -q stdout has only the answer; with -s it stays open after the prompt. Never `-t ""`, which sends the last prompt again. */
function command(session: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  if (!prompt) return { args: ['session', ...session, ...args] }
  return { args: ['run', headless ? '-q' : '-s', ...session, '-i', prompt.file, ...args] }
}
