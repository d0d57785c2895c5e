import { type ChildProcess, spawn } from 'node:child_process'
import { askState } from '../../../host/ask.ts'
import { readHostFile } from '../../../host/file.ts'
import { taskLabel } from '../../../host/find.ts'
import type { Size } from '../../../host/screen.ts'
import type { StartReport } from '../../../host/start-report.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { isAlive } from '../../../platform/process.ts'
import { busyTask, type Holder, taskHolder } from '../../../run/lease.ts'
import { readLedger } from '../../../run/ledger.ts'
import { promptIdentity } from '../../../run/prompt.ts'
import type { RunRequest } from '../../../run/request.ts'
import { taskState } from '../../../run/task-state.ts'
import type { Context } from '../../command.ts'
import type { HostOrder } from '../host/run.ts'
import { reporterOf } from './execute.ts'

/** An agent needs a second or two to tell its version; a start script must not hang. */
const LONGEST_MS = 20_000
const LOOK_MS = 50
const USUAL_SIZE = { columns: 120, rows: 36 }

type Outcome = Exclude<StartReport, { type: 'say' }>

/** What became of a start in the background. */
export type Detached =
  | { readonly how: 'started' | 'running'; readonly pid: number }
  | { readonly how: 'ended'; readonly code: number }

/** Starts the task in the background, or finds that it runs there already. Returns when one of the two is certain. */
export async function detach(request: RunRequest, context: Context): Promise<ExitKind | number> {
  const { out } = context
  const outcome = await ensureRunning(request, context, out.isTTY ? sizeOf(out) : USUAL_SIZE)
  if (outcome.how === 'ended') return outcome.code
  const word = taskLabel(request.task)
  const said = outcome.how === 'started' ? 'started' : 'already running'
  out.write(`${said} ${word} (pid ${outcome.pid}): ion attach ${word}, ion stop ${word}\n`)
  return 'ok'
}

/** The same without a word on stdout. `size` is that of the terminal until somebody attaches. */
export async function ensureRunning(request: RunRequest, context: Context, size: Size = USUAL_SIZE): Promise<Detached> {
  const { folder } = request.task
  const deadline = performance.now() + LONGEST_MS
  for (;;) {
    const holder = taskHolder(folder)
    if (holder) {
      if (holder.way !== 'detached') throw busyTask(request, holder)
      if (await isUp(request, holder, deadline)) return foundRunning(request, holder, context)
      continue
    }
    const { outcome, pid } = await startHost(request, context, size, deadline)
    if (outcome.type === 'started') return { how: 'started', pid }
    if (outcome.type === 'ended') return { how: 'ended', code: sayEnded(request, outcome, context) }
    // Another start at the same instant was faster: then that is the one.
    if (outcome.kind === 'refused' && taskHolder(folder)?.way === 'detached') continue
    throw new IonError(outcome.kind, outcome.message, outcome.hint === undefined ? {} : { hint: outcome.hint })
  }
}

function sizeOf({ columns, rows }: Context['out']): Size {
  return { columns, rows }
}

/** Whether that host has its agent. False when it ended before that. */
async function isUp({ task, agent }: RunRequest, holder: Holder, deadline: number): Promise<boolean> {
  while (isAlive(holder) && taskHolder(task.folder)?.pid === holder.pid) {
    const host = readHostFile(task.folder)
    if (host?.pid === holder.pid && (await askState(host, LOOK_MS * 10))?.agent_pid) return true
    if (performance.now() > deadline) {
      throw new IonError('failed', `${agent.title} is being started by another Ion (pid ${holder.pid}), which hangs`, {
        hint: `ion logs ${taskLabel(task)}; ion stop ${taskLabel(task)}`,
      })
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return false
}

/** Nothing is started. What was asked for beyond that is not done in silence. */
function foundRunning(request: RunRequest, holder: Holder, context: Context): Detached {
  const { task, prompt, send, isNew } = request
  const word = taskLabel(task)
  if (send || isNew) {
    throw new IonError('refused', `${word} is running in the background (pid ${holder.pid})`, {
      hint: send ? `type it there: ion attach ${word}` : `ion stop ${word}, then again`,
    })
  }
  const { runs } = taskState(readLedger(task.folder).entries)
  if (prompt !== undefined && !runs.some((run) => run.prompt?.hash === promptIdentity(prompt).hash)) {
    reporterOf(request, context).notice(
      `the new prompt was not sent: the task is running (type it there: ion attach ${word})`,
    )
  }
  return { how: 'running', pid: holder.pid }
}

/** It is over already: what stood on its screen says why. */
function sayEnded(request: RunRequest, { code, screen }: Outcome & { type: 'ended' }, context: Context): number {
  if (screen.trim() !== '') context.err.write(`${plain(screen)}\n`)
  reporterOf(request, context).notice(`${request.agent.title} has ended at once, with exit code ${code}`)
  return code
}

/** The host is a process of its own, in a session of its own, that keeps nothing of ours open. */
async function startHost(
  request: RunRequest,
  context: Context,
  size: Size,
  deadline: number,
): Promise<{ outcome: Outcome; pid: number }> {
  const child = spawn(process.execPath, [process.argv[1]!, 'host'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
  const order: HostOrder = { request: { ...request, agent: request.agent.id }, size }
  try {
    const outcome = outcomeOf(child, request, context, deadline)
    child.send(order, () => {})
    return { outcome: await outcome, pid: child.pid! }
  } finally {
    if (child.connected) child.disconnect()
    child.unref()
  }
}

function outcomeOf(child: ChildProcess, request: RunRequest, context: Context, deadline: number): Promise<Outcome> {
  const voice = reporterOf(request, context)
  const { agent, task } = request
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(
        new IonError('failed', `${agent.title} has not started within ${LONGEST_MS / 1000} seconds`, {
          hint: `it may still come: ion ps; ion logs ${taskLabel(task)}`,
        }),
      )
    const timer = setTimeout(late, Math.max(1000, deadline - performance.now()))
    const end = (act: () => void): void => {
      clearTimeout(timer)
      act()
    }
    child.on('message', (message) => {
      const news = message as StartReport
      if (news.type === 'say') voice.notice(news.line)
      else end(() => resolve(news))
    })
    child.once('error', (error) => end(() => reject(error)))
    child.once('exit', (code, signal) => {
      const died = new IonError('failed', `the host has ended before it could say why (${signal ?? code})`, {
        hint: `ion logs ${taskLabel(task)}`,
      })
      // Its last message may still be on the way.
      setImmediate(() => end(() => reject(died)))
    })
  })
}
