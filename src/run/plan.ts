import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { AgentCommand, Dialog, StartRequest } from '../agents/start.ts'
import { sessionId } from '../events/id.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import type { Io } from '../platform/io.ts'
import { type Agentapi, agentapiArgv } from './agentapi.ts'
import type { Decision } from './decide.ts'
import type { PromptMark, StartKind, Way } from './ledger.ts'
import { promptFor, promptIdentity } from './prompt.ts'
import { RUN_VARIABLE } from './run-processes.ts'
import type { LocatedSession } from './session-lookup.ts'

/** A start, decided to the last argument. Plain data: `--dry-run --json` prints it. */
export interface Plan {
  readonly agent: string
  readonly task: string
  readonly project: string
  readonly run: string
  readonly decision: StartKind
  readonly reason: string
  readonly way: Way
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: { readonly added: Readonly<Record<string, string>>; readonly removed: readonly string[] }
  readonly stdin: 'prompt' | 'terminal' | 'nothing'
  readonly output: 'lines' | 'talk' | 'plain'
  readonly files: readonly string[]
  /** Null until the agent tells it. */
  readonly session_id: string | null
  readonly native_id: string | null
  readonly prompt:
    | (PromptMark & { readonly action: 'send' | 'deliver'; readonly file: string })
    | { readonly action: 'skip' }
  readonly dialogs: readonly Dialog[]
  readonly notes: readonly string[]
}

export interface ComposedPlan {
  readonly plan: Plan
  readonly command: AgentCommand
  readonly order: StartRequest
  readonly promptText: string | undefined
  /** The session of a warm start. */
  readonly found: LocatedSession | undefined
  /** agentapi types the prompt, into whatever is on the screen when it takes the agent for ready. */
  readonly isTyped: boolean
}

export interface Setting {
  readonly agent: Agent
  readonly task: { readonly name: string; readonly project: string; readonly folder: string }
  readonly way: Way
  readonly program: string
  readonly version: string | undefined
  readonly args: readonly string[]
  readonly io: Io
  /** Run it under AgentAPI. */
  readonly agentapi: Agentapi | undefined
  /** The run's name and the fresh UUID of a cold start; random unless a test says so. */
  readonly fresh?: () => string
}

/** Puts a verdict into the words of the agent. */
export function composePlan(verdict: Decision & { decision: StartKind }, setting: Setting): ComposedPlan {
  const { agent, task, way, program, version, args, io, agentapi, fresh = randomUUID } = setting
  const start = agent.start!
  const { decision, reason, cwd, prompt: promptText } = verdict
  const run = fresh()
  const prompt = promptText === undefined ? undefined : promptFor(promptText, task.folder)
  const order: StartRequest = {
    session: verdict.decision === 'warm' ? verdict.session.head.native_id : fresh(),
    ...(verdict.decision === 'warm' ? { sessionPath: verdict.session.head.path } : {}),
    prompt,
    headless: way === 'headless',
    args,
    cwd,
    folder: join(task.folder, 'agent'),
    version,
    io,
  }
  const ask = (wanted: StartRequest): AgentCommand => (decision === 'cold' ? start.cold(wanted) : start.warm(wanted))
  const asked = ask(order)
  // Under agentapi the agent takes the prompt itself where it then stays open; elsewhere agentapi has to type it.
  const isTyped = agentapi !== undefined && prompt !== undefined && !staysOpen(agent, asked)
  const command = isTyped ? ask({ ...order, prompt: undefined }) : asked
  const naming = command.sessionId ?? start.sessionId
  const native = decision === 'warm' || naming === 'assigned' ? order.session : null
  const plan: Plan = {
    agent: agent.id,
    task: task.name,
    project: task.project,
    run,
    decision,
    reason,
    way,
    argv: agentapi
      ? agentapiArgv(agentapi, agent.agentapiType, [program, ...command.args])
      : [program, ...command.args],
    cwd,
    env: environment(command, run, io, agentapi !== undefined),
    stdin: agentapi
      ? isTyped
        ? 'prompt'
        : 'nothing'
      : (command.stdin ?? (way === 'headless' ? 'nothing' : 'terminal')),
    output: command.output ?? 'plain',
    files: (command.files ?? []).map((file) => file.path),
    session_id: native === null ? null : sessionId(agent.id, native),
    native_id: native,
    prompt:
      promptText === undefined || !prompt
        ? { action: 'skip' }
        : { action: decision === 'cold' ? 'send' : 'deliver', ...promptIdentity(promptText), file: prompt.file },
    dialogs: way === 'headless' ? [] : dialogsOf(agent, order),
    notes: [...verdict.notes, ...(command.notes ?? []), ...versionNotes(agent, version)],
  }
  return { plan, command, order, promptText, found: verdict.decision === 'warm' ? verdict.session : undefined, isTyped }
}

/** Whether the agent takes this prompt and is then there for the next one. */
function staysOpen({ start }: Agent, { endsAfterPrompt, stdin }: AgentCommand): boolean {
  return !start!.endsAfterPrompt && !endsAfterPrompt && stdin === undefined
}

/** A settings file that cannot be read is the agent's to complain about. */
function dialogsOf({ start }: Agent, order: StartRequest): readonly Dialog[] {
  try {
    return start!.dialogs?.(order) ?? []
  } catch {
    return []
  }
}

function environment(command: AgentCommand, run: string, io: Io, isAgentapi: boolean): Plan['env'] {
  const added: Record<string, string> = { [RUN_VARIABLE]: run }
  // They would beat nothing here, but an agentapi that the agent itself starts would use the same files.
  const removed = isAgentapi ? Object.keys(io.env).filter((name) => name.startsWith('AGENTAPI_')) : []
  for (const [name, value] of Object.entries(command.env ?? {})) {
    if (value !== undefined) added[name] = value
    else if (io.env[name] !== undefined) removed.push(name)
  }
  return { added, removed }
}

function versionNotes({ title, start }: Agent, version: string | undefined): string[] {
  if (version === undefined) return [`${title} does not tell its version; Ion knows it up to ${start!.newest}`]
  if (compareVersions(version, start!.newest) <= 0) return []
  return [
    `${title} ${version} is newer than ${start!.newest}, the newest that Ion knows; if it behaves otherwise, tell us`,
  ]
}

/** The one line that tells what is done and why. */
export function planLine({ decision, reason, prompt }: Plan): string {
  return `${decision}${prompt.action === 'deliver' ? ' + prompt' : ''} (${reason})`
}
