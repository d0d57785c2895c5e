import type { Agent } from '../agents/agent.ts'
import type { AgentCommand, Dialog, StartRequest } from '../agents/start.ts'
import { sessionId } from '../events/id.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import type { Io } from '../platform/io.ts'
import { agentFolder } from '../platform/task-folders.ts'
import { type Agentapi, agentapiArgv } from './agentapi.ts'
import { type Decision, NO_SESSION } from './decide.ts'
import type { PromptIdentity, RunMode, StartKind } from './ledger.ts'
import type { Program } from './program.ts'
import { promptFor, promptIdentity } from './prompt.ts'
import { RUN_VARIABLE } from './run-processes.ts'
import type { LocatedSession } from './session-lookup.ts'

/** A start in every detail. Plain data: `--dry-run --json` prints it. */
export interface Plan {
  readonly agent: string
  readonly task: string
  readonly project: string
  readonly run: string
  readonly decision: StartKind
  readonly reason: string
  readonly way: RunMode
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: { readonly added: Readonly<Record<string, string>>; readonly removed: readonly string[] }
  readonly stdin: 'prompt' | 'terminal' | 'nothing'
  readonly output: 'lines' | 'talk' | 'plain'
  readonly files: readonly string[]
  /** Null until the agent reports it. */
  readonly session_id: string | null
  readonly native_id: string | null
  readonly prompt:
    | (PromptIdentity & { readonly action: 'send' | 'deliver'; readonly file: string })
    | { readonly action: 'skip' }
  readonly dialogs: readonly Dialog[]
  readonly notes: readonly string[]
}

export interface ComposedPlan {
  readonly plan: Plan
  readonly command: AgentCommand
  readonly request: StartRequest
  readonly promptText: string | undefined
  /** The session of a warm start. */
  readonly found: LocatedSession | undefined
  /** agentapi types the prompt, into whatever is on the screen when it considers the agent ready. */
  readonly isTyped: boolean
}

export interface PlanInput {
  readonly agent: Agent
  readonly task: { readonly name: string; readonly project: string; readonly folder: string }
  readonly mode: RunMode
  readonly program: Program
  readonly args: readonly string[]
  readonly io: Io
  /** Run the agent under agentapi. */
  readonly agentapi: Agentapi | undefined
  /** What the agent will ask before the first turn; only with a terminal. */
  readonly dialogs: readonly Dialog[]
  /** Gives a new UUID: first for the run, then for the session of a cold start. */
  readonly fresh: () => string
}

/** Turns a decision into the agent's own command line. Pure, as far as the adapter's `start` is. */
export function composePlan(decided: Decision & { decision: StartKind }, input: PlanInput): ComposedPlan {
  const { agent, task, mode, program, args, io, agentapi, dialogs, fresh } = input
  const start = agent.start!
  const { decision, reason, cwd, prompt: promptText } = decided
  const { version } = program
  const run = fresh()
  const prompt = promptText === undefined ? undefined : promptFor(promptText, task.folder)
  const request: StartRequest = {
    session: decided.decision === 'warm' ? decided.session.head.native_id : fresh(),
    ...(decided.decision === 'warm' ? { sessionPath: decided.session.head.path } : {}),
    prompt,
    headless: mode === 'headless',
    args,
    cwd,
    folder: agentFolder(task.folder),
    version,
    io,
  }
  const build = (from: StartRequest): AgentCommand => (decision === 'cold' ? start.cold(from) : start.warm(from))
  const built = build(request)
  // Under agentapi the agent gets the prompt directly if it then stays open; otherwise agentapi has to type it.
  const isTyped = agentapi !== undefined && prompt !== undefined && !staysOpen(agent, built)
  const command = isTyped ? build({ ...request, prompt: undefined }) : built
  const isKnown = decision === 'warm' || (command.sessionId ?? start.sessionId) === 'assigned'
  const native = isKnown ? request.session : null
  const argv = [program.path, ...command.args]
  const plan: Plan = {
    agent: agent.id,
    task: task.name,
    project: task.project,
    run,
    decision,
    reason,
    way: mode,
    argv: agentapi ? agentapiArgv(agentapi, agent.agentapiType, argv) : argv,
    cwd,
    env: environment(command, run, io, agentapi !== undefined),
    stdin: agentapi
      ? isTyped
        ? 'prompt'
        : 'nothing'
      : (command.stdin ?? (mode === 'headless' ? 'nothing' : 'terminal')),
    output: command.output ?? 'plain',
    files: (command.files ?? []).map((file) => file.path),
    session_id: native === null ? null : sessionId(agent.id, native),
    native_id: native,
    prompt:
      promptText === undefined || !prompt
        ? { action: 'skip' }
        : { action: decision === 'cold' ? 'send' : 'deliver', ...promptIdentity(promptText), file: prompt.file },
    dialogs,
    notes: [...decided.notes, ...(command.notes ?? []), ...versionNotes(agent, version)],
  }
  const found = decided.decision === 'warm' ? decided.session : undefined
  return { plan, command, request, promptText, found, isTyped }
}

/** Whether the agent takes this prompt and is then ready for the next one. */
function staysOpen({ start }: Agent, { endsAfterPrompt, stdin }: AgentCommand): boolean {
  return !start!.endsAfterPrompt && !endsAfterPrompt && stdin === undefined
}

function environment(command: AgentCommand, run: string, io: Io, isAgentapi: boolean): Plan['env'] {
  const added: Record<string, string> = { [RUN_VARIABLE]: run }
  // They have no effect here, but an agentapi that the agent itself starts would use the same files.
  const removed = isAgentapi ? Object.keys(io.env).filter((name) => name.startsWith('AGENTAPI_')) : []
  for (const [name, value] of Object.entries(command.env ?? {})) {
    if (value !== undefined) added[name] = value
    else if (io.env[name] !== undefined) removed.push(name)
  }
  return { added, removed }
}

function versionNotes({ title, start }: Agent, version: string | undefined): string[] {
  if (version === undefined) return [`the version of ${title} is unknown; Ion supports it up to ${start!.newest}`]
  if (compareVersions(version, start!.newest) <= 0) return []
  return [`${title} ${version} is newer than ${start!.newest}, the newest that Ion knows; please report differences`]
}

/** One line for the user: what is done, and why. */
export function planLine({ decision, reason }: Pick<Plan, 'decision' | 'reason'>): string {
  if (decision === 'warm') return `resuming ${reason}`
  return reason === NO_SESSION ? 'starting a new session' : `starting a new session (${reason})`
}
