import { createReadStream, readFileSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { chooseTask, tasksMatching } from '../../host/find.ts'
import { labelWithProject, taskLabel } from '../../host/label.ts'
import { logFiles, noticesFile } from '../../host/log.ts'
import { LogText } from '../../host/log-text.ts'
import { refuseMisspeltAgent } from '../../host/misspelt.ts'
import { type ActiveTask, activeTasks, isRunning } from '../../host/tasks.ts'
import { IonError } from '../../platform/error.ts'
import { plain } from '../../platform/plain-text.ts'
import { agentapiStateFile } from '../../run/agentapi.ts'
import { taskHolder } from '../../run/lease.ts'
import { readLedger } from '../../run/ledger.ts'
import type { Task } from '../../run/task.ts'
import { taskState } from '../../run/task-state.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { logs } from '../definitions/running.ts'

const POLL_MS = 200
const CHUNK = 256 * 1024

export const run: Run<typeof logs> = async ([reference], options, context) => {
  const { io, out, err } = context
  if (options.snapshot && (options.follow || options.raw)) {
    throw new IonError('usage', '--snapshot cannot be combined with --follow or --raw', { hint: 'ion logs --help' })
  }
  const { task } = choose(reference, options.all, io)
  const { folder } = task
  if (options.snapshot) {
    out.write(`${await snapshotOf(task)}\n`)
    return 'ok'
  }
  err.write(`${palette(err).faint(`ion: ${plain(labelWithProject(task, io))}`)}\n`)
  printNotices(folder, context)
  const { raw, follow } = options
  const text = new LogText()
  const decoder = new StringDecoder('utf8')
  const print = async (bytes: Buffer): Promise<void> => {
    out.write(raw ? decoder.write(bytes) : text.push(decoder.write(bytes)))
    await out.drained?.()
  }
  const tail = new Tail(folder, runsWithLog(folder).at(-1)!)
  await tail.read(print)
  while (follow && taskHolder(folder)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    await tail.read(print)
  }
  out.write(raw ? decoder.end() : text.end())
  return 'ok'
}

/** From the state that its server saves at each change: it needs neither the server nor the agent. */
async function snapshotOf(task: Task): Promise<string> {
  const [{ readState }, { logSnapshot }] = await Promise.all([
    import('../../server/chat-state.ts'),
    import('../../server/log-snapshot.ts'),
  ])
  const state = readState(agentapiStateFile(task.folder))
  if (state) return logSnapshot(state.messages)
  throw new IonError(
    'not-found',
    `${taskLabel(task)} has no saved chat: it was not served, or with another --state-file`,
    {
      hint: 'ion serve <agent> --detach; ion show <id> reads any session',
    },
  )
}

/** A running task is preferred to one that has ended. */
function choose(reference: string | undefined, everywhere: boolean, io: Context['io']): ActiveTask {
  const all = activeTasks(io)
  refuseMisspeltAgent(all, reference, io)
  const withLog = new Set(all.filter(({ task }) => runsWithLog(task.folder).length > 0))
  if (withLog.size === 0) {
    throw new IonError('not-found', 'no agent has run in the background yet, so there is no log', {
      hint: 'ion run <agent> --detach "what to do"; ion show <id> reads any session',
    })
  }
  const running = tasksMatching(all, reference, io, everywhere).filter((at) => withLog.has(at) && isRunning(at))
  const among = (at: ActiveTask): boolean => (running.length > 0 ? running.includes(at) : withLog.has(at))
  return chooseTask(all, reference, io, { command: 'ion logs', what: 'background task', everywhere, among })
}

/** The runs whose log still exists, oldest first. */
function runsWithLog(folder: string): string[] {
  const { runs } = taskState(readLedger(folder).entries)
  return runs.map(({ run }) => run).filter((run) => logFiles(folder, run).length > 0)
}

/** Messages of the host itself. */
function printNotices(folder: string, { err }: Context): void {
  let text: string
  try {
    text = readFileSync(noticesFile(folder), 'utf8')
  } catch {
    return
  }
  const lines = text.trimEnd().split('\n').slice(-20)
  err.write(`${lines.map((line) => palette(err).faint(plain(line))).join('\n')}\n`)
}

/** Reads a growing log, which is rotated once: when it is full it becomes the older of two files. */
class Tail {
  readonly #folder: string
  readonly #run: string
  /** Bytes read, by inode, since the names change. */
  readonly #offsets = new Map<number, number>()

  constructor(folder: string, run: string) {
    this.#folder = folder
    this.#run = run
  }

  async read(print: (bytes: Buffer) => Promise<void>): Promise<void> {
    for (const file of logFiles(this.#folder, this.#run)) {
      const stat = statSync(file, { throwIfNoEntry: false })
      if (!stat) continue
      let start = this.#offsets.get(stat.ino) ?? 0
      if (start >= stat.size) continue
      for await (const bytes of createReadStream(file, { start, highWaterMark: CHUNK })) {
        await print(bytes as Buffer)
        start += (bytes as Buffer).length
        this.#offsets.set(stat.ino, start)
      }
    }
  }
}
