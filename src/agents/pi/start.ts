import { asPlainText } from '../_shared/prompt-command.ts'
import { refuseOptions } from '../_shared/start.ts'
import type { AgentCommand, Start, StartRequest } from '../start.ts'
import { readAnswer, readInput, readQuestion } from './screen.ts'

export const start: Start = {
  // The only one that was tried: it needs Node.js 22.19, and newer ones could not be installed.
  oldest: '0.87.1',
  newest: '0.87.1',
  sessionId: 'assigned',
  commandLine: {
    switches: ['--continue', '-c', '--print', '-p'],
    resume: ['--resume', '-r', '--session'],
    session: ['--session-id'],
  },
  cold: (request) => command(['--session-id', request.session], request),
  // By its id, in the folder of the session. A path would be created when it does not exist, and an id is not.
  warm: (request) => command(['--session', request.session], request),
  preflight: (_kind, { args }) => refuseOptions(args, refused),
  readInput,
  readQuestion,
  readAnswer,
  screens: [{ id: 'trust', pattern: /^ Trust project folder\?/m, asks: 'asks whether you trust this folder' }],
}

/**
 * `-p` takes the next word as the prompt unless that is an option. Without a terminal the prompt is stdin: exact and of any
 * length. In a terminal it is the last word; a leading blank keeps `@` from naming a file and `/` from naming a command.
 */
function command(session: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  if (headless) return { args: ['-p', ...session, ...args], ...(prompt ? { stdin: 'prompt' } : {}) }
  const text = prompt && asPlainText(prompt.argument, /^[@/]/)
  return { args: [...session, ...args, ...(text === undefined ? [] : ['--', text])] }
}

/** After these Ion would not find the session again. */
const refused: Readonly<Record<string, string>> = {
  '--continue': 'leave it out: Ion resumes exactly the session of the task',
  '-c': 'leave it out: Ion resumes exactly the session of the task',
  '--resume': 'leave it out: Ion resumes exactly the session of the task',
  '-r': 'leave it out: Ion resumes exactly the session of the task',
  '--session': 'ion run pi --resume <id>',
  '--session-id': 'leave it out: Ion chooses the id',
  '--fork': 'fork in Pi itself, then ion run pi --resume <id>',
  '--session-dir': 'set PI_CODING_AGENT_SESSION_DIR instead',
  '--no-session': 'leave it out: a session that is not stored cannot be resumed',
}
