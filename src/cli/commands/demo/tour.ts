/** One stop of the tour: a sentence, a command, and what to show of its output. */
export interface Step {
  readonly say: string
  readonly argv: readonly string[]
  /** At most so many lines of output. */
  readonly lines: number
  /** Begin so many lines before the first line that matches. */
  readonly from?: { readonly match: RegExp; readonly before: number }
}

/** `id` is the session that the tour looks at. */
export function tour(id: string): readonly Step[] {
  return [
    {
      say: 'A small web shop, five weeks, a dozen agents. Everything they did stands in one list:',
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
      say: 'And these are the agents Ion can read. None of them is needed for this demo:',
      argv: ['agents'],
      lines: 20,
    },
  ]
}
