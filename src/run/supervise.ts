import { basename } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { identityOf } from '../platform/process-identity.ts'
import { signalProcess, waitForExit } from '../platform/signal-process.ts'
import { waitUntil } from '../platform/wait-until.ts'
import { Follower } from './follow.ts'
import { printAnswer } from './last-answer.ts'
import type { Exit, OnLine, Running } from './launch.ts'
import type { NewsEntry } from './ledger.ts'
import { appendEntry } from './ledger.ts'
import type { ComposedPlan, Plan } from './plan.ts'
import type { Launcher, RunReporter, RunRequest } from './request.ts'
import { agentProcesses } from './run-processes.ts'
import { type TaskState, timesSeen } from './task-state.ts'
import { pinnedElsewhere } from './tasks.ts'

/** What is left of an agent under agentapi has so much time to end. */
const LEFT_MS = 5000

/** Starts the agent and stays with it to its end, writing down each step as it happens. */
export async function supervise(
  request: RunRequest,
  start: ComposedPlan,
  state: TaskState,
  io: Io,
  voice: RunReporter,
  launcher: Launcher,
): Promise<Exit> {
  const { agent, task } = request
  const { plan } = start
  // Once the agent runs, it is not ended because a line could not be written.
  let isTold = false
  const writeOrTell = (entry: NewsEntry): void => {
    try {
      appendEntry(task.folder, entry, io)
    } catch (error) {
      if (!isTold) voice.notice(`${messageOf(error)}; the agent goes on`)
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
      voice.notice(`${agent.title} opened another session instead (${session}); this task keeps its own`),
  })
  appendEntry(task.folder, { type: 'launching', run: plan.run, program: basename(plan.argv[0]!) }, io)
  let hasFailed = false
  const running = await started(request, plan, launcher, (line) => {
    if (handleOutputLine(line, agent, follower, voice)) hasFailed = true
  })
  writeOrTell({ type: 'launched', run: plan.run, process: identityOf(running.pid) })
  if (plan.prompt.action !== 'skip') {
    writeOrTell({ type: 'prompt', run: plan.run, hash: plan.prompt.hash, state: 'handed over' })
  }
  follower.begin()
  const exit = await running.exit
  follower.end(exit.code)
  if (request.agentapi) await endWhatIsLeft(plan, () => isOpen(agent, follower.found?.head.native_id, io))
  if (plan.output === 'talk' && exit.code === 0 && !printAnswer(request, follower.found, io, voice)) hasFailed = true
  writeOrTell({ type: 'exited', run: plan.run, code: exit.code, signal: exit.signal })
  // Some end with 0 after a turn that failed.
  return exit.code === 0 && hasFailed ? { ...exit, code: 1 } : exit
}

/**
 * agentapi ends the process that it started, and does not wait for it; of an agent that is two, the other would live on.
 * Whoever starts the task next must not find its session open.
 */
async function endWhatIsLeft({ run, argv }: Plan, isOpen: () => boolean): Promise<void> {
  const left = agentProcesses(run, basename(argv[argv.indexOf('--') + 1]!))
  for (const mark of left) signalProcess(mark, 'SIGTERM')
  if (!(await waitForExit(left, LEFT_MS))) for (const mark of left) signalProcess(mark, 'SIGKILL')
  await waitUntil(() => !isOpen(), LEFT_MS)
}

function isOpen({ live }: Agent, session: string | undefined, io: Io): boolean {
  return session !== undefined && Boolean(live?.(io, [session]).get(session))
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

/** Returns whether the line tells that the turn failed. */
function handleOutputLine(line: string, agent: Agent, follower: Follower, voice: RunReporter): boolean {
  const told = agent.start!.parseOutputLine?.(line)
  if (told?.session !== undefined) follower.reportSession(told.session)
  if (told?.promptReceived) follower.confirm()
  if (told?.text !== undefined) voice.output(told.text)
  if (told?.error !== undefined) voice.notice(`${agent.title}: ${told.error}`)
  // Not the format that was asked for: what it is, the user should see.
  if (!told && line.trim() !== '' && !line.startsWith('{')) voice.notice(line)
  return told?.error !== undefined
}
