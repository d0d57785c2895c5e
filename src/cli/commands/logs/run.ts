import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { chooseTask, taskLabel } from '../../../host/find.ts'
import { logFiles, noticesFile } from '../../../host/log.ts'
import { LogText } from '../../../host/log-text.ts'
import { type ActiveTask, activeTasks, isRunning } from '../../../host/tasks.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { taskHolder } from '../../../run/lease.ts'
import { readLedger } from '../../../run/ledger.ts'
import { taskState } from '../../../run/task-state.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'

const LOOK_MS = 200
const PIECE = 256 * 1024

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const [reference] = args as [string?]
  const { io, out } = context
  const chosen = choose(reference, io)
  const { folder } = chosen.task
  const logged = runsWithLog(folder)
  if (logged.length === 0) {
    sayWords(folder, context)
    throw new IonError('not-found', `no log of ${taskLabel(chosen.task)}: it was never in the background`, {
      hint: 'ion ps --all; ion sessions',
    })
  }
  sayWords(folder, context)
  const raw = options.raw === true
  const text = new LogText()
  const decoder = new StringDecoder('utf8')
  const print = async (bytes: Buffer): Promise<void> => {
    out.write(raw ? decoder.write(bytes) : text.push(decoder.write(bytes)))
    await out.drained?.()
  }
  const tail = new Tail(folder, logged.at(-1)!)
  await tail.read(print)
  while (options.follow === true && taskHolder(folder)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    await tail.read(print)
  }
  out.write(raw ? decoder.end() : text.end())
  return 'ok'
}

/** A running one before one that has ended; without a name the only one here, else the last of this project. */
function choose(reference: string | undefined, io: Context['io']): ActiveTask {
  const all = activeTasks(io).filter(({ task }) => runsWithLog(task.folder).length > 0)
  const running = all.filter(isRunning)
  try {
    return chooseTask(running, reference, io)
  } catch (error) {
    if (!(error instanceof IonError) || error.kind !== 'not-found') throw error
    return chooseTask(all, reference, io, 'background task')
  }
}

/** The names of runs whose log is kept, oldest first. */
function runsWithLog(folder: string): string[] {
  const { runs } = taskState(readLedger(folder).entries)
  return runs.map(({ run }) => run).filter((run) => logFiles(folder, run).length > 0)
}

function sayWords(folder: string, { err }: Context): void {
  let words: string
  try {
    words = readFileSync(noticesFile(folder), 'utf8')
  } catch {
    return
  }
  const lines = words.trimEnd().split('\n').slice(-20)
  err.write(`${lines.map((line) => palette(err).faint(plain(line))).join('\n')}\n`)
}

/** Reads on in a log that grows and, when it is full, becomes the older of two files. */
class Tail {
  readonly #folder: string
  readonly #run: string
  /** By inode, since the names change. */
  readonly #read = new Map<number, number>()

  constructor(folder: string, run: string) {
    this.#folder = folder
    this.#run = run
  }

  async read(print: (bytes: Buffer) => Promise<void>): Promise<void> {
    for (const file of logFiles(this.#folder, this.#run)) {
      const stat = statSync(file, { throwIfNoEntry: false })
      if (!stat) continue
      let at = this.#read.get(stat.ino) ?? 0
      if (at >= stat.size) continue
      const fd = openSync(file, 'r')
      try {
        const piece = Buffer.alloc(PIECE)
        for (let count: number; (count = readSync(fd, piece, 0, PIECE, at)) > 0; at += count) {
          await print(Buffer.from(piece.subarray(0, count)))
        }
      } finally {
        closeSync(fd)
        this.#read.set(stat.ino, at)
      }
    }
  }
}
