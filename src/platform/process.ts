import { readFileSync } from 'node:fs'

/** What the system tells of a living process; the start only where there is a /proc. */
export interface LivingProcess {
  /** Clock ticks from boot to its start, as /proc has them: with the pid it names a process for as long as it runs. */
  readonly startTicks?: string
  /** When it started, in ms since 1970, as exact as the clock was never set. */
  readonly startedAt?: number
}

/** The living process of that pid; undefined when there is none. A zombie does not live: in a container nobody may reap it. */
export function livingProcess(pid: number): LivingProcess | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  return process.platform === 'linux' ? fromProc(pid) : {}
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

function fromProc(pid: number): LivingProcess | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    // Hidden (hidepid) or just gone: what kill said counts.
    return {}
  }
  // The name before it may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  const startTicks = fields[19]
  if (state === 'Z' || state === 'X') return undefined
  if (startTicks === undefined || !/^\d+$/.test(startTicks)) return {}
  const boot = bootTime()
  return {
    startTicks,
    ...(boot === undefined ? {} : { startedAt: (boot + Number(startTicks) / TICKS_PER_SECOND) * 1000 }),
  }
}

/** Seconds since 1970; asked each time, since setting the clock moves it. */
function bootTime(): number | undefined {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]
    return seconds === undefined ? undefined : Number(seconds)
  } catch {
    return undefined
  }
}

/** Clocks are set, and file systems keep coarse times. */
const SLACK_MS = 60_000

/**
 * Whether the process of that pid may be the one that left a mark at that time (ms since 1970): it lives, and it was not
 * started after that, as another process is that got the same pid later.
 */
export function couldHaveWritten(pid: number, markedAt: number): boolean {
  const living = livingProcess(pid)
  return living !== undefined && (living.startedAt === undefined || living.startedAt <= markedAt + SLACK_MS)
}
