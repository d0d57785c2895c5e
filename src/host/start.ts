import { IonError } from '../platform/error.ts'
import { isAlive } from '../platform/process.ts'
import { busyTask, type Holder, taskHolder } from '../run/lease.ts'
import { readLedger } from '../run/ledger.ts'
import { isAmong } from '../run/prompt.ts'
import type { RunRequest } from '../run/request.ts'
import { taskState } from '../run/task-state.ts'
import { askState } from './ask.ts'
import { startInBackground } from './background-process.ts'
import { readHostFile } from './file.ts'
import { taskLabel } from './label.ts'
import type { Size } from './screen.ts'
import { reportedError, START_MS, type StartReport } from './start-report.ts'

/** What a host is started for: the request with the agent by its id, since the rest is data. */
export interface HostRequest {
  readonly request: Omit<RunRequest, 'agent'> & { readonly agent: string }
  readonly size: Size
}

export interface StartOptions {
  /** The installed program, `ion.cjs`: its command `host` is the background process. */
  readonly program: string
  /** Of the terminal, until somebody attaches. */
  readonly size?: Size | undefined
  /** Messages for the user. */
  readonly notice: (line: string) => void
  readonly timeoutMs?: number
}

export type StartOutcome =
  | { readonly how: 'running'; readonly pid: number }
  /** It has the prompt, or waits for the user; `asks`: in which dialog that was not announced before. */
  | { readonly how: 'started'; readonly pid: number; readonly asks: string | null }
  /** It is running, but was not ready in time; `promptDue`: the prompt is not in its session yet. */
  | { readonly how: 'starting'; readonly pid: number; readonly promptDue: boolean }
  /** The agent ended before it was ready; its screen says why. */
  | { readonly how: 'ended'; readonly code: number; readonly screen: string; readonly promptDue: boolean }

/**
 * An agent may need a second or two to report its version, may wait for another's first start, and has some time to get
 * ready; a start script must not hang.
 */
const TIMEOUT_MS = 20_000 + START_MS
const POLL_MS = 50
const ANSWER_MS = 500
export const DEFAULT_SIZE: Size = { columns: 120, rows: 36 }

/** Starts the task in the background, unless it is already running there. Returns when one of the two is certain. */
export async function ensureRunning(request: RunRequest, options: StartOptions): Promise<StartOutcome> {
  const { folder } = request.task
  const deadline = performance.now() + (options.timeoutMs ?? TIMEOUT_MS)
  for (;;) {
    const holder = taskHolder(folder)
    if (holder) {
      if (holder.way !== 'detached') throw busyTask(request, holder)
      if (await isUp(request, holder, deadline)) return alreadyRunning(request, holder, options)
      continue
    }
    const { report, pid } = await startHost(request, options, deadline)
    if (report.type === 'started') return { how: 'started', pid, asks: report.asks }
    if (report.type === 'starting') return { how: 'starting', pid, promptDue: report.promptDue }
    if (report.type === 'ended') {
      const { code, screen, promptDue } = report
      return { how: 'ended', code, screen, promptDue }
    }
    // Another start at the same instant was faster, so that one counts.
    if (report.kind === 'refused' && taskHolder(folder)?.way === 'detached') continue
    throw reportedError(report)
  }
}

/** Whether this host has its agent. False if the host ended before that. */
async function isUp({ task, agent }: RunRequest, holder: Holder, deadline: number): Promise<boolean> {
  while (isAlive(holder) && taskHolder(task.folder)?.pid === holder.pid) {
    const host = readHostFile(task.folder)
    if (host?.pid === holder.pid && (await askState(host, ANSWER_MS))?.agent_pid) return true
    if (performance.now() > deadline) {
      throw new IonError('failed', `another Ion (pid ${holder.pid}) is starting ${agent.title}, and does not finish`, {
        hint: `ion logs ${taskLabel(task)}; ion stop ${taskLabel(task)}`,
      })
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return false
}

/** Nothing is started. What the request asks for beyond that is not ignored silently. */
function alreadyRunning(request: RunRequest, { pid }: Holder, { notice }: StartOptions): StartOutcome {
  const { task, prompt, send, isNew } = request
  const label = taskLabel(task)
  if (send || isNew) {
    throw new IonError('refused', `${label} is running in the background (pid ${pid})`, {
      hint: send ? `type it there: ion attach ${label}` : `ion stop ${label}, then try again`,
    })
  }
  const { runs } = taskState(readLedger(task.folder).entries)
  if (
    prompt !== undefined &&
    !isAmong(
      prompt,
      runs.flatMap((run) => run.prompt ?? []),
      task.folder,
    )
  ) {
    if (request.onOtherPrompt === 'refuse') {
      throw new IonError('refused', `${label} is already running with another prompt (pid ${pid})`, {
        hint: `type it there: ion attach ${label}; or ion stop ${label}, then ${request.command} --detach --send "…"`,
      })
    }
    notice(`the new prompt was not sent: the task is running (type it there: ion attach ${label})`)
  }
  return { how: 'running', pid }
}

type FinalReport = Exclude<StartReport, { type: 'notice' }>

function startHost(
  request: RunRequest,
  { program, size = DEFAULT_SIZE, notice, timeoutMs = TIMEOUT_MS }: StartOptions,
  deadline: number,
): Promise<{ readonly report: FinalReport; readonly pid: number }> {
  const { agent, task } = request
  const hostRequest: HostRequest = { request: { ...request, agent: agent.id }, size }
  return startInBackground<StartReport>({
    program,
    command: 'host',
    request: hostRequest,
    timeoutMs: Math.max(1000, deadline - performance.now()),
    isFinal(report) {
      if (report.type === 'notice') notice(report.line)
      return report.type !== 'notice'
    },
    onTimeout: () =>
      new IonError('failed', `${agent.title} has not started within ${timeoutMs / 1000} seconds`, {
        hint: `it may still start: ion ps; ion logs ${taskLabel(task)}`,
      }),
    onExit: (how) =>
      new IonError('failed', `the host ended before it could report why (${how})`, {
        hint: `ion logs ${taskLabel(task)}`,
      }),
  }) as Promise<{ report: FinalReport; pid: number }>
}
