import { ioOf } from './options.ts'
import { type IndexOptions, locate, type SessionReference } from './session.ts'

export interface ResumeCommandOptions extends IndexOptions {
  /** More arguments for the agent. */
  readonly args?: readonly string[]
}

/** How to open a session in its own agent. */
export interface ResumeCommand {
  readonly agent: string
  readonly session_id: string
  readonly native_id: string
  /** The agent's program and its arguments; not for a shell. */
  readonly argv: readonly string[]
  /** The folder to run it in. */
  readonly cwd: string
  /** Changes to the environment. */
  readonly env: { readonly added: Readonly<Record<string, string>>; readonly removed: readonly string[] }
  /** Files that must exist before, with their complete content. */
  readonly files: readonly { readonly path: string; readonly content: string }[]
  /** What the agent will ask before the first turn, and other notes for the user. */
  readonly notes: readonly string[]
}

/**
 * The command that opens a session in its agent, in a terminal, sending nothing. It is not run. Throws `refused` if the
 * session cannot be resumed or is open, `not-installed` if the agent's program is missing.
 */
export async function resumeCommand(
  session: SessionReference,
  options: ResumeCommandOptions = {},
): Promise<ResumeCommand> {
  const io = ioOf(options)
  const located = await locate(session, options)
  // Loaded lazily: listing and reading do not need it.
  const [{ planResume }, { RUN_VARIABLE }] = await Promise.all([
    import('../run/resume.ts'),
    import('../run/run-processes.ts'),
  ])
  const { plan, command } = await planResume(located, options.args ?? [], io)
  // Marks the processes of Ion's own runs.
  const { [RUN_VARIABLE]: _, ...added } = plan.env.added
  return {
    agent: plan.agent,
    session_id: located.head.id,
    native_id: located.head.native_id,
    argv: plan.argv,
    cwd: plan.cwd,
    env: { added, removed: plan.env.removed },
    files: command.files ?? [],
    notes: [...plan.notes, ...plan.dialogs.map(({ asks }) => `the agent ${asks}`)],
  }
}
