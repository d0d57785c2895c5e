import type { AgentCommand, Start, StartRequest } from '../start.ts'

export const start: Start = {
  oldest: '1.37.0',
  newest: '1.52.0',
  sessionId: 'reported',
  interrupt: '\x03',
  cold,
  warm,
  // Names are not unique in general, but this one is.
  matchesRequest: (head, session) => head.name === nameOf(session),
  screens: [
    { id: 'folder', pattern: /working directory.*differs|Switch back to/i, asks: 'asks in which folder to work' },
    { id: 'configure', pattern: /No provider configured|goose configure/, asks: 'is not configured yet' },
  ],
}

/** It accepts no id, but a name; the row exists before the first model call. */
function nameOf(session: string): string {
  return `ion-${session}`
}

function cold({ session, headless, prompt, args }: StartRequest): AgentCommand {
  const name = ['--name', nameOf(session)]
  if (!prompt) return { args: ['session', ...name, ...args] }
  // With -q stdout has only the answer; with -s it stays open after the prompt.
  if (headless) return { args: ['run', '-q', ...name, '-i', prompt.file, ...args] }
  return { args: ['run', '-s', ...name, '-i', prompt.file, ...args] }
}

/** By id: names may repeat. Never `-t ""`, which sends the previous prompt again. */
function warm({ session, headless, prompt, args }: StartRequest): AgentCommand {
  const resume = ['--resume', '--session-id', session]
  if (!prompt) return { args: ['session', ...resume, ...args] }
  if (headless) return { args: ['run', '-q', ...resume, '-i', prompt.file, ...args] }
  return { args: ['run', '-s', ...resume, '-i', prompt.file, ...args] }
}
