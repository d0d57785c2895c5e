import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { AgentCommand, Refusal } from '../agents/start.ts'
import { readContext } from '../native/read-context.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { localTime } from '../platform/local-time.ts'
import { type Agentapi, findAgentapi, removeStalePidFile } from './agentapi.ts'
import { type Decision, decide } from './decide.ts'
import { expectedDialogs, type Facts, gatherFacts } from './facts.ts'
import { printLastAnswer } from './last-answer.ts'
import { exitCodeOf } from './launch.ts'
import { busyTask, takeTask } from './lease.ts'
import { appendEntry, ledgerFile, type NewsEntry, readLedger, type StartKind } from './ledger.ts'
import { moveNotice } from './locate-task.ts'
import { type ComposedPlan, composePlan, type Plan, planLine } from './plan.ts'
import { findProgram, type Program } from './program.ts'
import { savePrompt } from './prompt.ts'
import { recordProject } from './record-project.ts'
import type { Launcher, RunContext, RunReporter, RunRequest } from './request.ts'
import { removeLeftovers, saveSafetyCopies } from './safety-copies.ts'
import type { LocatedSession } from './session-lookup.ts'
import { readTaskState, resetRecord, saveRecord } from './session-record.ts'
import { supervise } from './supervise.ts'
import { isUntouched, type TaskState } from './task-state.ts'
import { movesOf, pinnedElsewhere } from './tasks.ts'

/** What a run would do. */
export interface Preview {
  readonly decision: Decision
  readonly composed: ComposedPlan | undefined
}

/** Decides and plans; starts and writes nothing, and takes no lease. */
export async function previewTask(request: RunRequest, io: Io): Promise<Preview> {
  try {
    return preview(request, await findProgram(request.agent, io), io)
  } catch (error) {
    if (!(error instanceof IonError) || error.kind !== 'not-installed') throw error
    const { kind, message: reason, hint = '' } = error
    return { decision: { decision: 'refused', kind, reason, hint }, composed: undefined }
  }
}

function preview(request: RunRequest, program: Program, io: Io): Preview {
  const state = stateOf(request)
  const { decision } = decideOn(request, state, io)
  // The agent's store follows a moved project only at the start: what it lacks now says nothing.
  return planStart(request, decision, state, program, io, request.moved !== undefined)
}

/**
 * Throws if a task that was never started cannot be started. Called before anything is written or runs in the background, so
 * that nothing is left behind: neither a task nor its folder.
 */
export async function refuseFirstStart(request: RunRequest, io: Io): Promise<void> {
  if (!isFirstStart(request)) return
  const { decision } = preview(request, await findProgram(request.agent, io), io)
  // Another start at the same instant may have begun meanwhile: then what was seen is the middle of that.
  if (isFirstStart(request)) refuse(decision)
}

function isFirstStart({ task, adopt, moved }: RunRequest): boolean {
  return !adopt && !moved && isUntouched(readTaskState(task.folder))
}

function refuse(decision: Decision): asserts decision is Exclude<Decision, { decision: 'refused' }> {
  if (decision.decision === 'refused') throw new IonError(decision.kind, decision.reason, { hint: decision.hint })
}

/** Runs the task. Returns the agent's own exit code, or why it was not started. */
export async function runTask(
  request: RunRequest,
  io: Io,
  reporter: RunReporter,
  launcher: Launcher,
): Promise<number | ExitKind> {
  const { agent, task, mode } = request
  const program = await findProgram(agent, io)
  if (isFirstStart(request)) refuse(preview(request, program, io).decision)
  const lease = takeTask(task.folder, mode, io.now(), { steal: request.steal, takeOver: `${request.command} --steal` })
  if (isHolder(lease)) throw busyTask(request, lease)
  let recording: Promise<void> | undefined
  try {
    refuseMovedAway(request)
    recording = recordProject(task, io)
    for (const problem of readLedger(task.folder).problems) {
      reporter.notice(`ignoring an invalid entry of the task's ledger: ${problem}`)
    }
    const adopted = request.adopt ? adopt(request, request.adopt, io) : request
    const first = await runOnce({ request: adopted, io, reporter }, program, launcher)
    if (!first.reopen) return first.code
    // The agent ended after its first turn: open it again for the user.
    const reopened = { ...adopted, prompt: undefined, isNew: false, send: false }
    return (await runOnce({ request: reopened, io, reporter }, program, launcher)).code
  } finally {
    await recording
    lease.release()
  }
}

/** A run that started at the same instant has moved the task: here it would look like a new one. */
function refuseMovedAway({ moved, task, command }: RunRequest): void {
  if (!moved || existsSync(ledgerFile(task.folder))) return
  throw new IonError('refused', 'another Ion has just moved this task', { hint: `${command} again` })
}

interface RunResult {
  readonly code: number | ExitKind
  readonly reopen: boolean
}

async function runOnce(context: RunContext, program: Program, launcher: Launcher): Promise<RunResult> {
  const { request, io, reporter } = context
  const { agent, task } = request
  const state = stateOf(request)
  const first = decideOn(request, state, io)
  const chosen = (await chooseForOtherPrompt(context, first.decision)) ?? (await chooseSession(context, first))
  if (chosen) return runOnce({ ...context, request: chosen }, program, launcher)
  const isRestored = await restoreMissing(context, first)
  const { decision: decided, facts } = isRestored ? decideOn(request, state, io) : first
  for (const entry of facts.news) appendEntry(task.folder, entry, io)
  if (facts.session) saveRecord(task.folder, facts.foundPrompts)
  const { decision, composed: start } = planStart(request, decided, state, program, io)
  refuse(decision)
  for (const line of decision.notes) reporter.notice(line)
  // An earlier run that was killed did not archive the session; the agent may change it as soon as it opens it.
  if (state.runs.length > 0 && state.runs.at(-1)!.exit === undefined) await archiveSession(context)
  if (decision.decision === 'none') {
    return { code: printLastAnswer(context, decision.session, state, decision.reason), reopen: false }
  }
  const composed = start!
  const { plan, request: startRequest, command, promptText } = composed
  reporter.notice(planLine(plan))
  for (const line of plan.notes.slice(decision.notes.length)) reporter.notice(line)
  if (composed.isTyped) refuseDialogs(request, plan)
  for (const { asks, id } of plan.dialogs) {
    const alternative = agent.start!.prepare?.[id] ? ` (or first: ${request.command} --prepare ${id})` : ''
    reporter.notice(`waiting for you: ${agent.title} ${asks}${alternative}`)
  }
  const isArchived = agent.onePerFolder && (await archiveReplaceable(context, plan))
  const copies = isArchived ? undefined : saveSafetyCopies(agent, plan.decision, startRequest, plan.run, io)
  if (copies) reporter.notice(`safety copy in ${copies}`)
  for (const file of command.files ?? []) replaceFile(file.path, file.content)
  if (promptText !== undefined) savePrompt(promptText, task.folder)
  const agentapi = agentapiOf(request, io)
  if (agentapi) {
    removeStalePidFile(agentapi)
    const { restoreChat } = await import('./agentapi-state-rotation.ts')
    for (const line of restoreChat(agentapi)) reporter.notice(line)
  }
  const isOneTurn = promptText !== undefined && endsAfterPrompt(request, command)
  if (plan.decision === 'cold') resetRecord(task.folder, givenArgs(request, state))
  appendEntry(task.folder, plannedEntry(composed, givenArgs(request, state), isOneTurn), io)
  if (plan.decision === 'warm') saveRecord(task.folder)
  const exit = await supervise(context, composed, state, launcher)
  if (agentapi) {
    const { saveChat } = await import('./agentapi-state-rotation.ts')
    for (const line of saveChat(agentapi)) reporter.notice(line)
  }
  await archiveSession(context)
  const moved = removeLeftovers(agent, startRequest, plan.run, io)
  if (moved) reporter.notice(`moved what ${agent.title} left behind to ${moved}`)
  return { code: exitCodeOf(exit), reopen: isOneTurn && exit.code === 0 }
}

/** Another prompt than the session's: asks what to do with it, before the agent covers the screen. */
async function chooseForOtherPrompt(
  { request, reporter }: RunContext,
  decision: Decision,
): Promise<RunRequest | undefined> {
  if (decision.decision !== 'refused' || decision.code !== 'other_prompt' || !reporter.choose) return undefined
  const choice = await reporter.choose(`${decision.reason}.`, [
    { key: 's', label: 'send it to that session' },
    { key: 'n', label: 'start a new session with it' },
  ])
  if (choice === 's') return { ...request, send: true }
  if (choice === 'n') return { ...request, isNew: true }
  throw new IonError('refused', 'cancelled: nothing was sent and nothing was started', { hint: decision.hint })
}

/** Several sessions may be the task's: asks which one is. */
async function chooseSession(
  { request, reporter, io }: RunContext,
  { decision, facts }: Decided,
): Promise<RunRequest | undefined> {
  if (decision.decision !== 'refused' || decision.code !== 'several_sessions' || !reporter.choose) return undefined
  const choices = facts.candidates.map(({ head }, index) => ({
    key: String(index + 1),
    label: `${head.id}  ${head.title ?? ''}  ${head.created_at === null ? '' : localTime(head.created_at)}`,
  }))
  const choice = await reporter.choose("the task's ledger has lost its entries. Which session is its session?", choices)
  const session = facts.candidates[Number(choice) - 1]
  if (!session) throw new IonError('refused', 'cancelled: nothing was started', { hint: decision.hint })
  appendEntry(request.task.folder, { type: 'session', run: 'chosen', ...pinOf(session), how: 'found' }, io)
  return request
}

/** Of a run that should stay open: every headless agent ends, and under agentapi it is agentapi that stays. */
function endsAfterPrompt(
  { agent, mode, agentapi }: RunRequest,
  { endsAfterPrompt: commandEnds, stdin }: AgentCommand,
): boolean {
  if (mode === 'headless' || agentapi) return false
  // In the background, an agent that reads the prompt from stdin has no terminal in its first turn.
  if (mode === 'detached' && stdin === 'prompt') return true
  return agent.start!.endsAfterPrompt === true || commandEnds === true
}

/** Returns whether the session was missing from the agent's store and has been restored. */
async function restoreMissing(context: RunContext, { decision, facts }: Decided): Promise<boolean> {
  if (decision.decision !== 'refused' || facts.missingSession === undefined) return false
  const { offerRestore } = await import('./offer-restore.ts')
  return offerRestore(context, facts.missingSession)
}

async function archiveReplaceable(context: RunContext, { decision, cwd }: Plan): Promise<boolean> {
  const onePerFolder = await import('./one-per-folder.ts')
  return onePerFolder.archiveReplaceable(context, decision, cwd)
}

/** Imported lazily, so that the agent starts sooner. */
async function archiveSession(context: RunContext): Promise<void> {
  const { archiveRun } = await import('./archive-run.ts')
  archiveRun(context, stateOf(context.request).session)
}

/** agentapi types the prompt when it considers the agent ready, and would answer a dialog with it. */
function refuseDialogs({ agent, command }: RunRequest, { dialogs }: Plan): void {
  const [first] = dialogs.filter(({ certain }) => certain)
  if (!first) return
  throw new IonError('refused', `${agent.title} ${first.asks}, and agentapi would type the prompt into that`, {
    hint: `${command} --prepare ${first.id}, or answer it once without --agentapi`,
  })
}

function stateOf({ task, adopt }: RunRequest): TaskState {
  const state = readTaskState(task.folder)
  if (!adopt || state.session?.native_id === adopt.head.native_id) return state
  return { ...state, session: pinOf(adopt), attempts: [], runs: [] }
}

interface Decided {
  readonly decision: Decision
  readonly facts: Facts
}

function decideOn(request: RunRequest, state: TaskState, io: Io): Decided {
  const { agent, task } = request
  const others = (): ReadonlySet<string> => pinnedElsewhere(agent.id, task.folder, io)
  const moves = [...(request.moved ? [request.moved] : []), ...movesOf(task)]
  const facts = gatherFacts(agent, task.folder, state, io, others, moves, request.prompt)
  const decision = decide(request, state, facts)
  if (!request.moved || decision.decision === 'refused') return { decision, facts }
  return { decision: { ...decision, notes: [moveNotice(request.moved, io), ...decision.notes] }, facts }
}

/** The plan of a start, or why the agent cannot be started that way. Any other decision stays as it is. */
function planStart(
  request: RunRequest,
  decision: Decision,
  state: TaskState,
  program: Program,
  io: Io,
  isBeforeMove = false,
): Preview {
  if (!isStart(decision)) return { decision, composed: undefined }
  const composed = compose(request, decision, state, program, io)
  const obstacle = request.agent.start!.preflight?.(decision.decision, composed.request, readContext(io))
  if (!obstacle || (isBeforeMove && !obstacle.isCommand)) return { decision, composed }
  return { decision: refusedStart(request, obstacle), composed: undefined }
}

function refusedStart({ command }: RunRequest, { why, hint, isCommand }: Refusal): Decision {
  if (!isCommand) return { decision: 'refused', kind: 'failed', reason: why, hint }
  const typeIt = `for the command, open the agent and type it there: ${command}, or ion attach`
  return { decision: 'refused', kind: 'refused', reason: why, hint: `${hint}; ${typeIt}` }
}

function isStart(decision: Decision): decision is Decision & { decision: StartKind } {
  return decision.decision === 'cold' || decision.decision === 'warm'
}

function compose(
  request: RunRequest,
  decision: Decision & { decision: StartKind },
  state: TaskState,
  program: Program,
  io: Io,
): ComposedPlan {
  const { agent, task, mode } = request
  const given = givenArgs(request, state)
  const args = request.args === undefined && given.length === 0 ? request.defaultArgs : given
  return composePlan(decision, {
    agent,
    task,
    mode,
    program,
    args,
    io,
    agentapi: agentapiOf(request, io),
    dialogs: mode === 'headless' ? [] : expectedDialogs(agent, { cwd: decision.cwd, io, args }),
    fresh: randomUUID,
  })
}

/** What the next start gets as well; not the user's settings, which may be others by then. */
function givenArgs({ args }: RunRequest, state: TaskState): readonly string[] {
  return args ?? state.args
}

function agentapiOf({ agentapi, task }: RunRequest, io: Io): Agentapi | undefined {
  return agentapi && findAgentapi(task.folder, agentapi.persist, agentapi.port, io)
}

function plannedEntry(
  { plan, request, command }: ComposedPlan,
  args: readonly string[],
  isOneTurn: boolean,
): NewsEntry {
  const { run, decision, reason, way, cwd, prompt } = plan
  return {
    type: 'planned',
    run,
    decision,
    reason,
    way,
    cwd,
    args,
    session: request.session,
    ...(command.sessionId ? { naming: 'told' as const } : {}),
    ...(isOneTurn ? { one_turn: true } : {}),
    ...(prompt.action === 'skip' ? {} : { prompt: { hash: prompt.hash, length: prompt.length } }),
  }
}

function adopt(request: RunRequest, session: LocatedSession, io: Io): RunRequest {
  const state = readTaskState(request.task.folder)
  if (state.session?.native_id !== session.head.native_id) {
    appendEntry(request.task.folder, { type: 'session', run: 'adopted', ...pinOf(session), how: 'adopted' }, io)
  }
  return { ...request, adopt: undefined }
}

function pinOf({ head, files }: LocatedSession): { native_id: string; files: readonly string[]; cwd: string } {
  return { native_id: head.native_id, files, cwd: head.cwd ?? '' }
}
