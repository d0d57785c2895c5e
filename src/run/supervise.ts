import { basename } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { OutputEvent } from '../agents/start.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { identityOf, signalProcess, waitForExit } from '../platform/process.ts'
import { waitUntil } from '../platform/wait.ts'
import { Follower } from './follow.ts'
import { printAnswer } from './last-answer.ts'
import type { Exit, OnLine, Running } from './launch.ts'
import { appendEntry, type NewsEntry } from './ledger.ts'
import type { ComposedPlan, Plan } from './plan.ts'
import type { Launcher, RunContext, RunReporter, RunRequest } from './request.ts'
import { agentProcesses } from './run-processes.ts'
import { saveRecord } from './session-record.ts'
import { type TaskState, timesSeen } from './task-state.ts'
import { pinnedElsewhere } from './tasks.ts'
import { whyUnstored } from './unstored.ts'

/** How long the processes of an agent may take to end after agentapi. */
const LEFTOVER_MS = 5000

/** Starts the agent and stays until it ends, recording each step in the ledger as it happens. */
export async function supervise(
  context: RunContext,
  composed: ComposedPlan,
  state: TaskState,
  launcher: Launcher,
): Promise<Exit> {
  const { request, io, reporter } = context
  const { agent, task } = request
  const { plan } = composed
  const first = agent.start!.createsDatabases
    ? await (await import('./first-start.ts')).beginFirstStart(agent, io, reporter.notice)
    : undefined
  // A running agent is not stopped because an entry could not be written.
  let isReported = false
  const record = (entry: NewsEntry): void => {
    try {
      appendEntry(task.folder, entry, io)
      if (entry.type === 'session' || (entry.type === 'prompt' && entry.state === 'seen')) saveRecord(task.folder)
      reporter.recorded?.(entry)
    } catch (error) {
      if (!isReported) reporter.notice(`${messageOf(error)}; the agent continues`)
      isReported = true
    }
  }
  // With the same prompt in the same folder a moment later, an earlier session would look like the new one.
  const earlier = [...state.past, ...(state.session ? [state.session.native_id] : [])]
  const follower = new Follower({
    agent,
    composed,
    folder: task.folder,
    io,
    since: io.now(),
    seenBefore: plan.prompt.action === 'deliver' ? timesSeen(state, plan.prompt.hash) : 0,
    others: () => new Set([...pinnedElsewhere(agent.id, task.folder, io), ...earlier]),
    note: record,
    isReplicated: request.isReplicated === true,
    onOther: (session) =>
      reporter.notice(`${agent.title} opened another session instead (${session}); this task keeps its own`),
  })
  appendEntry(task.folder, { type: 'launching', run: plan.run, program: basename(plan.argv[0]!) }, io)
  let hasFailed = false
  let hasAnswered = false
  const running = await start(request, plan, launcher, (line) => {
    const output = handleOutputLine(line, agent, follower, reporter)
    if (output?.error !== undefined) hasFailed = true
    if (output?.text?.trim()) hasAnswered = true
  }).catch((error) => {
    first?.release()
    throw error
  })
  first?.watch(running.exit)
  record({ type: 'launched', run: plan.run, process: identityOf(running.pid) })
  if (plan.prompt.action !== 'skip') {
    record({ type: 'prompt', run: plan.run, hash: plan.prompt.hash, state: 'handed over' })
  }
  follower.begin()
  const exit = await running.exit
  follower.end(exit.code)
  if (request.agentapi) await stopLeftovers(plan, () => isOpen(agent, follower.found?.head.native_id, io))
  if (!hasFailed) await reportUnstored({ context, composed, follower, record }, exit, hasAnswered)
  if (plan.output === 'talk' && exit.code === 0 && !printAnswer(context, follower.found)) hasFailed = true
  const { code, signal, stopped } = exit
  record({ type: 'exited', run: plan.run, code, signal, ...(stopped ? { stopped } : {}) })
  // Some agents exit with 0 after a failed turn.
  return exit.code === 0 && hasFailed ? { ...exit, code: 1 } : exit
}

interface Ended {
  readonly context: RunContext
  readonly composed: ComposedPlan
  readonly follower: Follower
  readonly record: (entry: NewsEntry) => void
}

/** How long a session may take to appear after its agent has ended. */
const STORE_MS = 1000

/**
 * An agent that answered the prompt and stored nothing: says so, and records it, so that the prompt is not sent again
 * automatically. Without an answer the prompt stays pending. In a terminal nobody knows whether there was an answer (the user
 * may have left at a dialog), so there it takes a reason.
 */
async function reportUnstored(
  { context, composed, follower, record }: Ended,
  exit: Exit,
  hasAnswered: boolean,
): Promise<void> {
  const { request, reporter } = context
  const { plan } = composed
  if (plan.prompt.action === 'skip' || follower.isPromptSeen || exit.code === null) return
  // A session without its prompt: it was sent, and the disk is full.
  const isHalfStored = request.agent.start!.failsIfUnstored && follower.found !== undefined
  if (exit.code !== 0 && !hasAnswered && !isHalfStored) return
  const isSeen = (): boolean => {
    follower.look(true)
    return follower.isPromptSeen
  }
  if (await waitUntil(isSeen, STORE_MS)) return
  const { agent, command } = request
  const reason = whyUnstored(agent, composed.request, composed.found?.files)
  if (reason === undefined && (exit.code !== 0 || request.mode !== 'headless')) return
  const why = reason ?? 'the reason is unknown'
  record({ type: 'unstored', run: plan.run, reason: why })
  reporter.notice(
    `${agent.title} stored nothing of this turn: ${why}. It cannot be resumed, and the same command does not ` +
      `send the prompt again; ${command} --new "…" does`,
  )
}

/**
 * agentapi stops the process that it started without waiting for it, and a second process of the agent would survive.
 * The next start of the task must not find its session open.
 */
async function stopLeftovers({ run, argv }: Plan, isOpen: () => boolean): Promise<void> {
  const left = agentProcesses(run, basename(argv[argv.indexOf('--') + 1]!))
  for (const identity of left) signalProcess(identity, 'SIGTERM')
  if (!(await waitForExit(left, LEFTOVER_MS))) for (const identity of left) signalProcess(identity, 'SIGKILL')
  await waitUntil(() => !isOpen(), LEFTOVER_MS)
}

function isOpen({ live }: Agent, session: string | undefined, io: Io): boolean {
  return session !== undefined && Boolean(live?.(io, [session]).get(session))
}

async function start({ agent }: RunRequest, plan: Plan, launcher: Launcher, onLine: OnLine): Promise<Running> {
  try {
    return await launcher(plan, onLine)
  } catch (error) {
    throw new IonError('failed', `${agent.title} could not be started: ${messageOf(error)}`, {
      cause: error,
      hint: plan.argv[0]!,
    })
  }
}

function handleOutputLine(
  line: string,
  agent: Agent,
  follower: Follower,
  reporter: RunReporter,
): OutputEvent | undefined {
  const output = agent.start!.parseOutputLine?.(line)
  if (output?.session !== undefined) follower.reportSession(output.session)
  if (output?.promptReceived) follower.confirm()
  if (output?.text !== undefined) reporter.output(output.text)
  if (output?.error !== undefined) reporter.notice(`${agent.title}: ${output.error}`)
  // Not in the requested format: show it to the user.
  if (!output && line.trim() !== '' && !line.startsWith('{')) reporter.notice(line)
  return output
}
