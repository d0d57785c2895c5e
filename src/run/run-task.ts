import type { AgentCommand } from '../agents/start.ts'
import { readContext } from '../native/read-context.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { type Agentapi, findAgentapi, removeStalePidFile } from './agentapi.ts'
import { busyTask } from './busy-errors.ts'
import { type Decision, decide } from './decide.ts'
import { type Facts, gatherFacts } from './facts.ts'
import { tellAnswer } from './last-answer.ts'
import { exitCodeOf } from './launch.ts'
import { takeTask } from './lease.ts'
import { appendEntry, type NewsEntry, readLedger, type StartKind } from './ledger.ts'
import { type ComposedPlan, composePlan, type Plan, planLine } from './plan.ts'
import { findProgram, type Program } from './program.ts'
import { savePrompt } from './prompt.ts'
import type { Launcher, RunReporter, RunRequest } from './request.ts'
import { clearLeftovers, saveSafetyCopies } from './safety-copies.ts'
import type { LocatedSession } from './session-lookup.ts'
import { supervise } from './supervise.ts'
import { type TaskState, taskState } from './task-state.ts'
import { pinnedElsewhere, writeTaskFile } from './tasks.ts'

/** What would be done, without doing it. */
export interface Preview {
  readonly verdict: Decision
  readonly composed: ComposedPlan | undefined
}

/** Plans, and starts nothing. Takes no lease, and writes nothing. */
export async function previewTask(request: RunRequest, io: Io): Promise<Preview> {
  const program = await findProgram(request.agent, io)
  const state = stateOf(request)
  const { verdict } = judge(request, state, io)
  return { verdict, composed: isStart(verdict) ? composed(request, verdict, state, program, io) : undefined }
}

/** Does it. Returns the agent's own exit code, or what became of it otherwise. */
export async function runTask(
  request: RunRequest,
  io: Io,
  voice: RunReporter,
  launcher: Launcher,
): Promise<number | ExitKind> {
  const { agent, task, way } = request
  const program = await findProgram(agent, io)
  const lease = takeTask(task.folder, way, io.now())
  if (isHolder(lease)) throw busyTask(request, lease)
  try {
    writeTaskFile(task)
    const adopted = request.adopt ? adopt(request, request.adopt, io) : request
    const exit = await runOnce(adopted, program, io, voice, launcher)
    if (!exit.again) return exit.code
    // The first turn is done and the agent has ended; now it is opened for the user.
    return (await runOnce({ ...adopted, prompt: undefined, isNew: false, send: false }, program, io, voice, launcher))
      .code
  } finally {
    lease.release()
  }
}

interface Ended {
  readonly code: number | ExitKind
  readonly again: boolean
}

async function runOnce(
  request: RunRequest,
  program: Program,
  io: Io,
  voice: RunReporter,
  launcher: Launcher,
): Promise<Ended> {
  const { agent, task } = request
  const state = stateOf(request)
  const first = judge(request, state, io)
  const isBack = await broughtBack(request, first, io, voice)
  const { verdict, facts } = isBack ? judge(request, state, io) : first
  for (const entry of facts.news) appendEntry(task.folder, entry, io)
  if (verdict.decision === 'refused') throw new IonError(verdict.kind, verdict.reason, { hint: verdict.hint })
  for (const line of verdict.notes) voice.notice(line)
  // An earlier run that was killed could not do it; the agent may change the session as soon as it opens it.
  if (state.runs.length > 0 && state.runs.at(-1)!.exit === undefined) await archived(request, io, voice)
  if (verdict.decision === 'none') {
    return { code: tellAnswer(request, verdict.session, verdict.reason, io, voice), again: false }
  }
  const start = composed(request, verdict, state, program, io)
  const { plan, order, command, promptText } = start
  voice.notice(planLine(plan))
  for (const line of plan.notes.slice(verdict.notes.length)) voice.notice(line)
  const obstacle = agent.start!.preflight?.(plan.decision, order, readContext(io))
  if (obstacle) throw new IonError('failed', obstacle.why, { hint: obstacle.hint })
  if (start.isTyped) refuseDialogs(request, plan)
  for (const { asks, id } of plan.dialogs) {
    const way = agent.start!.prepare?.[id] ? ` (or first: ${request.command} --prepare ${id})` : ''
    voice.notice(`waiting for you: ${agent.title} ${asks}${way}`)
  }
  const kept = saveSafetyCopies(agent, plan.decision, order, plan.run, io)
  if (kept) voice.notice(`safety copy in ${kept}`)
  for (const file of command.files ?? []) replaceFile(file.path, file.content)
  if (promptText !== undefined) savePrompt(promptText, task.folder)
  const agentapi = agentapiOf(request, io)
  if (agentapi) {
    removeStalePidFile(agentapi)
    const { chatBeforeStart } = await import('./agentapi-state-rotation.ts')
    for (const line of chatBeforeStart(agentapi)) voice.notice(line)
  }
  const isOneTurn = promptText !== undefined && endsAfterPrompt(request, command)
  appendEntry(task.folder, plannedEntry(start, isOneTurn), io)
  const exit = await supervise(request, start, state, io, voice, launcher)
  if (agentapi) {
    const { chatAfterEnd } = await import('./agentapi-state-rotation.ts')
    for (const line of chatAfterEnd(agentapi)) voice.notice(line)
  }
  await archived(request, io, voice)
  const moved = clearLeftovers(agent, order, plan.run, io)
  if (moved) voice.notice(`what ${agent.title} left behind is in ${moved}`)
  return { code: exitCodeOf(exit), again: isOneTurn && exit.code === 0 }
}

/** Where it was to stay open: without a terminal every agent ends, and under agentapi it is agentapi that stays. */
function endsAfterPrompt({ agent, way, agentapi }: RunRequest, { endsAfterPrompt, stdin }: AgentCommand): boolean {
  if (way === 'headless' || agentapi) return false
  // In the background the first turn of such a one has no terminal.
  if (way === 'detached' && stdin === 'prompt') return true
  return agent.start!.endsAfterPrompt === true || endsAfterPrompt === true
}

/** True when the session was gone, and is back in the agent's store. */
async function broughtBack(
  request: RunRequest,
  { verdict, facts }: { verdict: Decision; facts: Facts },
  io: Io,
  voice: RunReporter,
): Promise<boolean> {
  if (verdict.decision !== 'refused' || facts.missingSession === undefined) return false
  const { offerRestore: putBack } = await import('./offer-restore.ts')
  return putBack(request, facts.missingSession, io, voice)
}

/** Loaded only here: before the agent starts every millisecond counts. */
async function archived(request: RunRequest, io: Io, voice: RunReporter): Promise<void> {
  const { archiveRun } = await import('./archive-run.ts')
  archiveRun(request, stateOf(request).session, io, voice)
}

/** agentapi types the prompt when it takes the agent for ready, and a dialog would be answered by it. */
function refuseDialogs({ agent, command }: RunRequest, { dialogs }: Plan): void {
  const [first] = dialogs.filter(({ certain }) => certain)
  if (!first) return
  throw new IonError('refused', `${agent.title} ${first.asks}, and agentapi would type the prompt into that`, {
    hint: `${command} --prepare ${first.id}, or answer it once without --agentapi`,
  })
}

function stateOf({ task, adopt }: RunRequest): TaskState {
  const state = taskState(readLedger(task.folder).entries)
  if (!adopt || state.session?.native_id === adopt.head.native_id) return state
  return { ...state, session: pinOf(adopt), attempts: [], runs: [] }
}

function judge(request: RunRequest, state: TaskState, io: Io): { verdict: Decision; facts: Facts } {
  const { agent, task } = request
  const facts = gatherFacts(agent, task.folder, state, io, () => pinnedElsewhere(agent.id, task.folder, io))
  return { verdict: decide(request, state, facts), facts }
}

function isStart(verdict: Decision): verdict is Decision & { decision: StartKind } {
  return verdict.decision === 'cold' || verdict.decision === 'warm'
}

function composed(
  request: RunRequest,
  verdict: Decision & { decision: StartKind },
  state: TaskState,
  program: Program,
  io: Io,
): ComposedPlan {
  const { agent, task, way } = request
  return composePlan(verdict, {
    agent,
    task,
    way,
    program: program.path,
    version: program.version,
    args: request.args ?? state.args,
    io,
    agentapi: agentapiOf(request, io),
  })
}

function agentapiOf({ agentapi, task }: RunRequest, io: Io): Agentapi | undefined {
  return agentapi && findAgentapi(task.folder, agentapi.persist, agentapi.port, io)
}

function plannedEntry({ plan, order, command }: ComposedPlan, isOneTurn: boolean): NewsEntry {
  const { run, decision, reason, way, cwd, prompt } = plan
  return {
    type: 'planned',
    run,
    decision,
    reason,
    way,
    cwd,
    args: order.args,
    session: order.session,
    ...(command.sessionId ? { naming: 'told' as const } : {}),
    ...(isOneTurn ? { one_turn: true } : {}),
    ...(prompt.action === 'skip' ? {} : { prompt: { hash: prompt.hash, length: prompt.length } }),
  }
}

function adopt(request: RunRequest, session: LocatedSession, io: Io): RunRequest {
  const state = taskState(readLedger(request.task.folder).entries)
  if (state.session?.native_id !== session.head.native_id) {
    appendEntry(request.task.folder, { type: 'session', run: 'adopted', ...pinOf(session), how: 'adopted' }, io)
  }
  return { ...request, adopt: undefined }
}

function pinOf({ head, files }: LocatedSession): { native_id: string; files: readonly string[]; cwd: string } {
  return { native_id: head.native_id, files, cwd: head.cwd ?? '' }
}
