import { sessionId } from '../../events/id.ts'
import { connectHost } from '../../host/ask.ts'
import { attachTo } from '../../host/attach.ts'
import { DEFAULT_DETACH_KEY, detachKey } from '../../host/attach-key.ts'
import { readHostFile } from '../../host/file.ts'
import { chooseTask } from '../../host/find.ts'
import { labelWithProject, referenceTo, taskLabel } from '../../host/label.ts'
import { refuseMisspeltAgent } from '../../host/misspelt.ts'
import { type ActiveTask, activeTasks, isRunning } from '../../host/tasks.ts'
import { IonError } from '../../platform/error.ts'
import { plain } from '../../platform/plain-text.ts'
import { exitCodeOf } from '../../run/launch.ts'
import { describeMode } from '../../run/lease.ts'
import { RUN_VARIABLE } from '../../run/run-processes.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { attach } from '../definitions/running.ts'

export const run: Run<typeof attach> = async ([reference], options, context) => {
  const { io, out, err } = context
  const key = detachKey(options.detachKey ?? DEFAULT_DETACH_KEY)
  const tasks = activeTasks(io)
  refuseMisspeltAgent(tasks, reference, io)
  if (!tasks.some(isRunning)) {
    throw new IonError('not-found', 'there is no running task in any project', {
      hint: 'ion run <agent> --detach "what to do"',
    })
  }
  const search = { command: 'ion attach', everywhere: options.all, among: isRunning }
  const chosen = chooseTask(tasks, reference, io, search)
  const native = chosen.state.session?.native_id
  const id = native === undefined ? undefined : sessionId(chosen.task.agent, native)
  const label = referenceTo(chosen.task, id, io) ?? taskLabel(chosen.task)
  if (options.chat) {
    hostOf(chosen, label, io)
    notice(err, chosen, io, 'chatting; /quit leaves, and the agent keeps running')
    const { chatWith } = await import('../chat/chat-in-terminal.ts')
    return chatWith(chosen, label, context)
  }
  if (!out.isTTY || !process.stdin.isTTY) {
    throw new IonError('usage', 'there is no terminal here', { hint: `ion logs ${label} shows its output` })
  }
  if (io.env[RUN_VARIABLE] !== undefined && io.env[RUN_VARIABLE] === chosen.state.runs.at(-1)?.run) {
    throw new IonError('refused', `this is the terminal of ${labelWithProject(chosen.task, io)} itself`, {
      hint: 'attach from another one',
    })
  }
  const host = hostOf(chosen, label, io)
  const socket = await connectHost(host)
  notice(err, chosen, io, `attached; ${key.name} detaches, and the agent keeps running`)
  const end = await attachTo(socket, { input: process.stdin, output: process.stdout }, key)
  if (end.how === 'detached') {
    notice(err, chosen, io, `detached; the agent keeps running (ion attach ${label}, ion stop ${label})`)
  } else if (end.how === 'ended') notice(err, chosen, io, `the agent has ended with exit code ${end.code}`)
  else if (end.how === 'lost') throw new IonError('failed', `connection lost: ${end.why}`, { hint: 'ion ps' })
  else return exitCodeOf({ code: null, signal: end.signal })
  return end.how === 'ended' ? end.code : 'ok'
}

/** Always with the project: the same label may run in several. */
function notice(err: Context['err'], { task }: ActiveTask, io: Context['io'], line: string): void {
  err.write(`${palette(err).faint(`ion: ${plain(`${labelWithProject(task, io)}: ${line}`)}`)}\n`)
}

function hostOf(
  { task, holder, orphans }: ActiveTask,
  label: string,
  io: Context['io'],
): NonNullable<ReturnType<typeof readHostFile>> {
  const named = labelWithProject(task, io)
  const host = readHostFile(task.folder)
  if (host && host.pid === holder?.pid) return host
  if (holder && holder.way !== 'detached') {
    throw new IonError(
      'refused',
      `${named} is running ${describeMode(holder.way)} (pid ${holder.pid}), so it cannot be attached`,
      {
        hint: `ion stop ${label}, then start it with --detach`,
      },
    )
  }
  throw new IonError('refused', holder ? `${named} is still starting` : `the host of ${named} was killed`, {
    hint: holder
      ? 'try again in a moment'
      : `ion stop ${label} stops the agent that it left behind (pid ${orphans[0]?.process.pid})`,
  })
}
