import { connectHost } from '../../../host/ask.ts'
import { attachTo } from '../../../host/attach.ts'
import { DEFAULT_DETACH_KEY, detachKey } from '../../../host/attach-key.ts'
import { readHostFile } from '../../../host/file.ts'
import { chooseTask, taskLabel } from '../../../host/find.ts'
import { type ActiveTask, activeTasks, isRunning } from '../../../host/tasks.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { exitCodeOf } from '../../../run/launch.ts'
import { RUN_VARIABLE } from '../../../run/run-processes.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind | number> {
  const [reference] = args as [string?]
  const { io, out, err } = context
  const key = detachKey(typeof options.detachKey === 'string' ? options.detachKey : DEFAULT_DETACH_KEY)
  const running = activeTasks(io).filter(isRunning)
  const chosen = chooseTask(running, reference, io)
  const word = taskLabel(chosen.task)
  if (options.chat === true) {
    hostOf(chosen, word)
    const { chatWith } = await import('./chat.ts')
    return chatWith(chosen, word, context)
  }
  if (!out.isTTY || !process.stdin.isTTY) {
    throw new IonError('usage', 'there is no terminal here', { hint: `ion logs ${word} shows what it printed` })
  }
  if (io.env[RUN_VARIABLE] !== undefined && io.env[RUN_VARIABLE] === chosen.state.runs.at(-1)?.run) {
    throw new IonError('refused', `this terminal is that of ${word} itself`, { hint: 'attach from another one' })
  }
  const host = hostOf(chosen, word)
  const socket = await connectHost(host)
  const say = (line: string): void => err.write(`${palette(err).faint(`ion: ${word}: ${plain(line)}`)}\n`)
  say(`attached; ${key.name} leaves, and the agent goes on`)
  const end = await attachTo(socket, { input: process.stdin, output: process.stdout }, key)
  if (end.how === 'detached') say(`detached; it goes on (ion attach ${word}, ion stop ${word})`)
  else if (end.how === 'ended') say(`the agent has ended, with exit code ${end.code}`)
  else if (end.how === 'lost') throw new IonError('failed', `the connection is lost: ${end.why}`, { hint: 'ion ps' })
  else return exitCodeOf({ code: null, signal: end.signal })
  return end.how === 'ended' ? end.code : 'ok'
}

function hostOf({ task, holder, orphans }: ActiveTask, word: string): NonNullable<ReturnType<typeof readHostFile>> {
  const host = readHostFile(task.folder)
  if (host && host.pid === holder?.pid) return host
  if (holder && holder.way !== 'detached') {
    const where = holder.way === 'terminal' ? 'in another terminal' : 'without a terminal'
    throw new IonError('refused', `${word} is running ${where} (pid ${holder.pid}), where nobody else can look`, {
      hint: `ion stop ${word}, then start it with --detach`,
    })
  }
  throw new IonError('refused', holder ? `${word} is only starting` : `the host of ${word} was killed`, {
    hint: holder
      ? 'try again in a moment'
      : `ion stop ${word} ends the agent that is left (pid ${orphans[0]?.process.pid})`,
  })
}
