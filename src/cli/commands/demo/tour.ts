import type { Agent } from '../../../agents/agent.ts'

/** One stop of the tour: a sentence, a command, and what to show of its output. */
export interface Step {
  readonly say: string
  readonly argv: readonly string[]
  /** At most so many lines of output. */
  readonly lines: number
  /** Run as a process of its own, with the fake agent on the path, and these variables. */
  readonly own?: Readonly<Record<string, string>>
  /** The exit code that it has; default 0. A killed process has none. */
  readonly code?: number | null
  /** Begin so many lines before the first line that matches. */
  readonly from?: { readonly match: RegExp; readonly before: number }
}

export const TASK = 'Show customers their refunds'
/** The main job: a task whose session outlives everything, and whose prompt goes out once. `id` tells its session when there is one. */
export function mainJob({ id: agent, title }: Agent, id: () => string): readonly (() => Step)[] {
  const start = ['run', agent, '--headless', TASK]
  return [
    () => ({
      say: `A task for an agent (a fake one, which plays ${title}). In the middle of its answer, kill -9 ends both:`,
      argv: start,
      lines: 4,
      own: { ION_FAKE_DIE_AT: 'answering', ION_FAKE_KILL: 'both' },
      code: null,
    }),
    () => ({
      say: 'The same command again. The prompt stands in the session already, so it is not sent a second time:',
      argv: start,
      lines: 4,
      own: {},
      code: 1,
    }),
    () => ({
      say: 'So have it go on, in exactly that session:',
      argv: ['run', agent, '--headless', '--nudge'],
      lines: 4,
      own: {},
    }),
    () => ({
      say: 'From now on the command may be called as often as a start script likes. It gives the answer and starts nothing:',
      argv: start,
      lines: 4,
      own: {},
    }),
    () => ({
      say: 'A kill, four starts, one session, and the prompt in it once:',
      argv: ['show', id()],
      lines: 14,
    }),
  ]
}

/** `id` is the session that the tour looks at. */
export function tour(id: string): readonly Step[] {
  return [
    {
      say: 'That was the newest of many: a small web shop, five weeks, a dozen agents. All of it stands in one list:',
      argv: ['sessions', '--all', '--plain'],
      lines: 16,
    },
    {
      say: 'Who looked into those refunds? One search, whichever agent it was:',
      argv: ['search', 'refund'],
      lines: 11,
    },
    {
      say: 'Read the first one. Each tool call is folded to a line:',
      argv: ['show', id],
      lines: 20,
    },
    {
      say: 'Take it with you, as Markdown, HTML, JSON or the whole log:',
      argv: ['export', id, '--format', 'md'],
      lines: 11,
      from: { match: /^# /, before: 0 },
    },
    {
      say: 'Send it to a colleague. The agent printed a key on the way; see what became of it:',
      argv: ['share', id],
      lines: 6,
      from: { match: /PAYMENTS_API_KEY/, before: 2 },
    },
    {
      say: 'And these are the agents that Ion knows. None of them is needed for this demo:',
      argv: ['agents'],
      lines: 20,
    },
  ]
}
