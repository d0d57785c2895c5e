import type { Agent } from '../../../agents/agent.ts'

/** One step of the tour: a sentence, a command, and how much of its output to show. */
export interface Step {
  readonly say: string
  readonly argv: readonly string[]
  /** Maximum number of output lines. */
  readonly lines: number
  /** Run as a separate process, with the fake agent on the path and these variables. */
  readonly process?: Readonly<Record<string, string>>
  /** The expected exit code; default 0, null for a killed process. */
  readonly code?: number | null
  /** Start `before` lines above the first line that matches. */
  readonly from?: { readonly match: RegExp; readonly before: number }
}

export const TASK = 'Show customers their refunds'

/**
 * `ion run`: the session survives a kill, the prompt is sent once, and another agent can continue. `id` returns its session when
 * there is one.
 */
export function runTour({ id: agent, title }: Agent, next: Agent, id: () => string): readonly (() => Step)[] {
  const start = ['run', agent, '--headless', TASK]
  return [
    () => ({
      say: `Give an agent a task (a fake agent that acts like ${title}). In the middle of its answer, kill -9 ends both Ion and the agent:`,
      argv: start,
      lines: 4,
      process: { ION_FAKE_DIE_AT: 'answering', ION_FAKE_KILL: 'both' },
      code: null,
    }),
    () => ({
      say: 'Run the same command again. The prompt is already in the session, so it is not sent a second time:',
      argv: start,
      lines: 4,
      process: {},
      code: 1,
    }),
    () => ({
      say: 'Ask the agent to continue, in exactly that session:',
      argv: ['run', agent, '--headless', '--nudge'],
      lines: 4,
      process: {},
    }),
    () => ({
      say: 'A start script can run this command as often as it likes. It prints the answer and starts nothing:',
      argv: start,
      lines: 4,
      process: {},
    }),
    () => ({
      say: 'One kill, four runs, one session, and the prompt is in it once:',
      argv: ['show', id()],
      lines: 14,
    }),
    () => ({
      say: `Hand it over: the same conversation as a session of ${next.title}, which resumes it like one of its own:`,
      argv: ['handover', id(), '--in', next.id],
      lines: 8,
      process: {},
    }),
  ]
}

/** `id` is the session that the tour shows in detail. */
export function tour(id: string): readonly Step[] {
  return [
    {
      say: 'That was the newest session of many: a small web shop, five weeks, a dozen agents, all in one list:',
      argv: ['sessions', '--all', '--plain'],
      lines: 16,
    },
    {
      say: 'Which agent worked on those refunds? One search covers them all:',
      argv: ['search', 'refund'],
      lines: 11,
    },
    {
      say: 'Read one of them. Each tool call is folded to one line:',
      argv: ['show', id],
      lines: 20,
    },
    {
      say: 'Export it as Markdown, HTML, JSON or the complete log:',
      argv: ['export', id, '--format', 'md'],
      lines: 11,
      from: { match: /^# /, before: 0 },
    },
    {
      say: 'Share it with a colleague. The agent printed an API key; it is masked:',
      argv: ['share', id],
      lines: 6,
      from: { match: /PAYMENTS_API_KEY/, before: 2 },
    },
    {
      say: 'What did all of this cost? Every model call is counted once, at list prices:',
      argv: ['usage', 'agents'],
      lines: 14,
    },
    {
      say: 'And these are the agents that Ion supports. None of them is needed for this demo:',
      argv: ['agents'],
      lines: 20,
    },
  ]
}
