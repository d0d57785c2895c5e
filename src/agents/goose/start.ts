import type { AgentCommand, Start, StartRequest } from '../start.ts'

export const start: Start = {
  oldest: '1.37.0',
  newest: '1.52.0',
  sessionId: 'reported',
  interrupt: '\x03',
  cold,
  warm,
  // Names are not unique in general; this one is.
  matchesRequest: (head, session) => head.name === nameOf(session),
  screens: [
    { id: 'folder', pattern: /working directory.*differs|Switch back to/i, asks: 'asks in which folder to work' },
    { id: 'configure', pattern: /No provider configured|goose configure/, asks: 'is not configured yet' },
  ],
}

/** Its id cannot be chosen, but its name can; the row is there before the first call of the model. */
function nameOf(session: string): string {
  return `ion-${session}`
}

function cold({ session, headless, prompt, args }: StartRequest): AgentCommand {
  const name = ['--name', nameOf(session)]
  if (!prompt) return { args: ['session', ...name, ...args] }
  // -q leaves the answer alone on stdout; -s stays open after the task.
  if (headless) return { args: ['run', '-q', ...name, '-i', prompt.file, ...args] }
  return { args: ['run', '-s', ...name, '-i', prompt.file, ...args] }
}

/** By id: names may be taken twice. Never `-t ""`, which asks the prompt before it again. */
function warm({ session, headless, prompt, args }: StartRequest): AgentCommand {
  const resume = ['--resume', '--session-id', session]
  if (!prompt) return { args: ['session', ...resume, ...args] }
  if (headless) return { args: ['run', '-q', ...resume, '-i', prompt.file, ...args] }
  return { args: ['run', '-s', ...resume, '-i', prompt.file, ...args] }
}
