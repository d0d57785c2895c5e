import { basename } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { startReading } from '../native/reading.ts'
import { replaceFile } from '../platform/durable.ts'
import { type ExitKind, IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type Agentapi, findAgentapi, removeStalePidFile } from './agentapi.ts'
import { decide, type Verdict, type Wish } from './decide.ts'
import { type Facts, lookAt, type NewsEntry } from './facts.ts'
import { Follower } from './follow.ts'
import { keepCopies, keepLeftovers } from './keepsakes.ts'
import { type Exit, exitCodeOf, type OnLine, type Running } from './launch.ts'
import { isHolder, takeLease } from './lease.ts'
import { type Decision, type LedgerEntry, note, readLedger } from './ledger.ts'
import { type Composed, compose, type Plan, planLine } from './plan.ts'
import { markOf } from './process-mark.ts'
import { findProgram, type Program } from './program.ts'
import { savePrompt } from './prompt.ts'
import { busyTask } from './refusals.ts'
import { type Found, Store } from './store.ts'
import type { Task } from './task.ts'
import { type TaskState, taskState, timesSeen } from './task-state.ts'
import { introduce, pinnedElsewhere } from './tasks.ts'
import { turnState } from './turn-state.ts'

export interface RunRequest extends Wish {
  readonly task: Task
  /** Undefined: as the last time. */
  readonly args: readonly string[] | undefined
  /** A session that Ion did not start and that becomes the task's. */
  readonly adopt: Found | undefined
  readonly agentapi: { readonly persist: boolean; readonly port: string | undefined } | undefined
}

/** Where a run speaks: lines for the user, and the agent's answer. */
export interface Voice {
  say(line: string): void
  print(text: string): void
}

/** Starts what a plan says. The three ways differ in this alone. */
export type Launcher = (plan: Plan, onLine: OnLine) => Promise<Running>

/** What would be done, without doing it. */
export interface Preview {
  readonly verdict: Verdict
  readonly composed: Composed | undefined
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
  voice: Voice,
  launcher: Launcher,
): Promise<number | ExitKind> {
  const { agent, task, way, steal } = request
  const program = await findProgram(agent, io)
  const lease = takeLease(task.folder, way, io.now(), steal)
  if (isHolder(lease)) throw busyTask(request, lease)
  try {
    introduce(task)
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
  voice: Voice,
  launcher: Launcher,
): Promise<Ended> {
  const { agent, task } = request
  const state = stateOf(request)
  const { verdict, facts } = judge(request, state, io)
  for (const entry of facts.news) write(task, entry, io)
  if (verdict.decision === 'refused') throw new IonError(verdict.kind, verdict.reason, { hint: verdict.hint })
  for (const line of verdict.notes) voice.say(line)
  if (verdict.decision === 'none')
    return { code: tellAnswer(request, verdict.session, verdict.reason, io, voice), again: false }
  const start = composed(request, verdict, state, program, io)
  const { plan, order, command, promptText } = start
  voice.say(planLine(plan))
  for (const line of plan.notes.slice(verdict.notes.length)) voice.say(line)
  const obstacle = agent.start!.obstacle?.(plan.decision, order, startReading(io))
  if (obstacle) throw new IonError('failed', obstacle.why, { hint: obstacle.hint })
  if (request.agentapi && promptText !== undefined) refuseDialogs(request, plan)
  for (const { asks, id } of plan.dialogs) {
    const way = agent.start!.prepare?.[id] ? ` (or first: ${request.command} --prepare ${id})` : ''
    voice.say(`waiting for you: ${agent.title} ${asks}${way}`)
  }
  const kept = keepCopies(agent, plan.decision, order, plan.run, io)
  if (kept) voice.say(`safety copy in ${kept}`)
  for (const file of command.files ?? []) replaceFile(file.path, file.content)
  if (promptText !== undefined) savePrompt(promptText, task.folder)
  if (request.agentapi) removeStalePidFile(agentapiOf(request, io)!)
  write(task, plannedEntry(start), io)
  const exit = await follow(request, start, state, io, voice, launcher)
  const moved = keepLeftovers(agent, order, plan.run, io)
  if (moved) voice.say(`what ${agent.title} left behind is in ${moved}`)
  const isOver = agent.start!.endsAfterPrompt === true || command.endsAfterPrompt === true
  const again = isOver && promptText !== undefined && exit.code === 0
  return { code: exitCodeOf(exit), again: again && request.way !== 'headless' && !request.agentapi }
}

/** agentapi types the prompt when it takes the agent for ready, and a dialog would be answered by it. */
function refuseDialogs({ agent, command }: RunRequest, { dialogs }: Plan): void {
  const [first] = dialogs.filter(({ certain }) => certain)
  if (!first) return
  throw new IonError('refused', `${agent.title} ${first.asks}, and agentapi would type the prompt into that`, {
    hint: `${command} --prepare ${first.id}, or answer it once without --agentapi`,
  })
}

async function follow(
  request: RunRequest,
  start: Composed,
  state: TaskState,
  io: Io,
  voice: Voice,
  launcher: Launcher,
): Promise<Exit> {
  const { agent, task } = request
  const { plan } = start
  // Once the agent runs, it is not ended because a line could not be written.
  let isTold = false
  const writeOrTell = (entry: NewsEntry): void => {
    try {
      write(task, entry, io)
    } catch (error) {
      if (!isTold) voice.say(`${messageOf(error)}; the agent goes on`)
      isTold = true
    }
  }
  // With the same prompt in the same folder a moment later, the session before would look like the new one.
  const earlier = [...state.past, ...(state.session ? [state.session.native_id] : [])]
  const follower = new Follower({
    agent,
    composed: start,
    folder: task.folder,
    io,
    since: io.now(),
    seenBefore: plan.prompt.action === 'deliver' ? timesSeen(state, plan.prompt.hash) : 0,
    others: () => new Set([...pinnedElsewhere(agent.id, task.folder, io), ...earlier]),
    note: writeOrTell,
    onOther: (session) =>
      voice.say(`${agent.title} opened another session instead (${session}); this task keeps its own`),
  })
  write(task, { type: 'launching', run: plan.run, program: basename(plan.argv[0]!) }, io)
  let hasFailed = false
  const running = await started(request, plan, launcher, (line) => {
    if (hear(line, agent, follower, voice)) hasFailed = true
  })
  writeOrTell({ type: 'launched', run: plan.run, process: markOf(running.pid) })
  if (plan.prompt.action !== 'skip') {
    writeOrTell({ type: 'prompt', run: plan.run, hash: plan.prompt.hash, state: 'handed over' })
  }
  follower.begin()
  const exit = await running.exit
  follower.end(exit.code)
  if (plan.output === 'talk' && exit.code === 0 && !printAnswer(request, follower, io, voice)) hasFailed = true
  writeOrTell({ type: 'exited', run: plan.run, code: exit.code, signal: exit.signal })
  // Some end with 0 after a turn that failed.
  return exit.code === 0 && hasFailed ? { ...exit, code: 1 } : exit
}

async function started({ agent }: RunRequest, plan: Plan, launcher: Launcher, onLine: OnLine): Promise<Running> {
  try {
    return await launcher(plan, onLine)
  } catch (error) {
    throw new IonError('failed', `${agent.title} could not be started: ${messageOf(error)}`, {
      cause: error,
      hint: plan.argv[0]!,
    })
  }
}

/** Of an agent that talks around it. Returns whether there is one. */
function printAnswer({ agent, task }: RunRequest, { found }: Follower, io: Io, voice: Voice): boolean {
  if (!found) return false
  const { finished, answer } = turnState(new Store(agent, io, task.folder).events(found.head))
  if (!finished || answer === null) return false
  voice.print(answer)
  return true
}

/** Returns whether the line tells that the turn failed. */
function hear(line: string, agent: Agent, follower: Follower, voice: Voice): boolean {
  const told = agent.start!.told?.(line)
  if (told?.session !== undefined) follower.tell(told.session)
  if (told?.arrived) follower.confirm()
  if (told?.text !== undefined) voice.print(told.text)
  if (told?.error !== undefined) voice.say(`${agent.title}: ${told.error}`)
  // Not the format that was asked for: what it is, the user should see.
  if (!told && line.trim() !== '' && !line.startsWith('{')) voice.say(line)
  return told?.error !== undefined
}

/** Without a terminal and with nothing to send, the answer is what there is to give. */
function tellAnswer(
  { agent, task, command }: RunRequest,
  session: Found,
  reason: string,
  io: Io,
  voice: Voice,
): ExitKind {
  const store = new Store(agent, io, task.folder)
  if (store.isElsewhere(session.head)) {
    voice.say(`nothing started (${reason}); the answer is on the server of ${agent.title}`)
    return 'ok'
  }
  const { finished, answer } = turnState(store.events(session.head))
  if (finished && answer !== null) {
    voice.say(`nothing started (${reason}); this is the last answer`)
    voice.print(answer)
    return 'ok'
  }
  throw new IonError('failed', `the last turn of session ${session.head.id.slice(0, 8)} was cut off`, {
    hint: `${command} --headless --send "what next", or --nudge to have it go on`,
  })
}

function stateOf({ task, adopt }: RunRequest): TaskState {
  const state = taskState(readLedger(task.folder).entries)
  if (!adopt || state.session?.native_id === adopt.head.native_id) return state
  return { ...state, session: pinOf(adopt), attempts: [], runs: [] }
}

function judge(request: RunRequest, state: TaskState, io: Io): { verdict: Verdict; facts: Facts } {
  const { agent, task } = request
  const facts = lookAt(agent, task.folder, state, io, () => pinnedElsewhere(agent.id, task.folder, io))
  return { verdict: decide(request, state, facts), facts }
}

function isStart(verdict: Verdict): verdict is Verdict & { decision: Decision } {
  return verdict.decision === 'cold' || verdict.decision === 'warm'
}

function composed(
  request: RunRequest,
  verdict: Verdict & { decision: Decision },
  state: TaskState,
  program: Program,
  io: Io,
): Composed {
  const { agent, task, way } = request
  return compose(verdict, {
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

function plannedEntry({ plan, order, command }: Composed): NewsEntry {
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
    ...(command.naming ? { naming: command.naming } : {}),
    ...(prompt.action === 'skip' ? {} : { prompt: { hash: prompt.hash, length: prompt.length } }),
  }
}

function adopt(request: RunRequest, session: Found, io: Io): RunRequest {
  const state = taskState(readLedger(request.task.folder).entries)
  if (state.session?.native_id !== session.head.native_id) {
    write(request.task, { type: 'session', run: 'adopted', ...pinOf(session), how: 'adopted' }, io)
  }
  return { ...request, adopt: undefined }
}

function pinOf({ head, files }: Found): { native_id: string; files: readonly string[]; cwd: string } {
  return { native_id: head.native_id, files, cwd: head.cwd ?? '' }
}

function write(task: Task, entry: NewsEntry, io: Io): void {
  note(task.folder, { at: io.now().toISOString(), ...entry } as LedgerEntry)
}
