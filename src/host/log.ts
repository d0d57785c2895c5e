import { appendFileSync, closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder } from '../platform/atomic-file.ts'
import { listNames } from '../platform/list-dir.ts'

/** A file of this size is rotated: it becomes the older of two. */
const LARGEST = 8 * 1024 * 1024
/** How many runs keep their logs. */
const KEPT_RUNS = 5
const NOTICES = 'host.log'

function logsFolder(task: string): string {
  return join(task, 'logs')
}

/** The terminal logs of a run, oldest first: one file, or two. Empty if the run has none. */
export function logFiles(task: string, run: string): string[] {
  const folder = logsFolder(task)
  return [join(folder, `${run}.1.log`), join(folder, `${run}.log`)].filter((file) =>
    statSync(file, { throwIfNoEntry: false }),
  )
}

/** Messages of the hosts and servers of this task. */
export function noticesFile(task: string): string {
  return join(logsFolder(task), NOTICES)
}

/** Logs the output of an agent's terminal. A full disk ends the log, not the agent. */
export class RunLog {
  readonly #file: string
  readonly #older: string
  readonly #onError: (error: unknown) => void
  #fd: number | undefined
  #size = 0

  constructor(task: string, run: string, onError: (error: unknown) => void) {
    const folder = privateFolder(logsFolder(task))
    this.#file = join(folder, `${run}.log`)
    this.#older = join(folder, `${run}.1.log`)
    this.#onError = onError
    this.#try(() => {
      prune(folder, run)
      this.#open()
    })
  }

  write(text: string): void {
    this.#try(() => {
      if (this.#fd === undefined) return
      this.#size += writeSync(this.#fd, text)
      if (this.#size < LARGEST) return
      closeSync(this.#fd)
      renameSync(this.#file, this.#older)
      this.#open()
    })
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #open(): void {
    this.#fd = openSync(this.#file, 'a', 0o600)
    this.#size = statSync(this.#file).size
  }

  #try(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#fd = undefined
      this.#onError(error)
    }
  }
}

/** Adds a message of the host or server itself. */
export function writeNotice(task: string, at: Date, line: string): void {
  const file = noticesFile(task)
  try {
    privateFolder(logsFolder(task))
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size > LARGEST / 8) renameSync(file, `${file}.1`)
    appendFileSync(file, `${at.toISOString()} ${line.replace(/\s+/g, ' ')}\n`, { mode: 0o600 })
  } catch {
    // There is nowhere else to report it.
  }
}

/** Logs are large, and a task may be started every day. */
function prune(folder: string, run: string): void {
  const logs = listNames(folder)
    .filter((name) => name.endsWith('.log') && name !== NOTICES && !name.startsWith(run))
    .map((name) => ({ name, time: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)
  const runs = [...new Set(logs.map(({ name }) => name.split('.')[0]!))]
  const old = new Set(runs.slice(KEPT_RUNS - 1))
  for (const { name } of logs) if (old.has(name.split('.')[0]!)) rmSync(join(folder, name), { force: true })
}
