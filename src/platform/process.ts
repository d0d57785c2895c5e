import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { waitUntil } from './wait.ts'

/** A living process; its start is known only where there is a /proc. */
export interface LivingProcess {
  /** Clock ticks from boot to its start, as in /proc. With the pid they identify a process until the next boot. */
  readonly startTicks?: string
  /** When it started, in ms since 1970. Off by as much as the clock was set since boot. */
  readonly startedAt?: number
}

/** Undefined if there is none. A zombie counts as dead: in a container nobody may reap it. */
export function livingProcess(pid: number): LivingProcess | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  return process.platform === 'linux' ? fromProc(pid) : {}
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

function fromProc(pid: number): LivingProcess | undefined {
  const fields = statFields(pid)
  // Hidden (hidepid) or just gone: the answer of kill counts.
  if (!fields) return {}
  const startTicks = fields[19]
  if (hasEnded(fields)) return undefined
  if (startTicks === undefined || !/^\d+$/.test(startTicks)) return {}
  const boot = bootTime()
  return {
    startTicks,
    ...(boot === undefined ? {} : { startedAt: (boot + Number(startTicks) / TICKS_PER_SECOND) * 1000 }),
  }
}

/**
 * Whether this process has ended and its parent has not noticed: in a container that may never happen. Programs that only
 * ask whether the pid exists believe that it lives.
 */
export function isZombie(pid: number): boolean {
  const fields = process.platform === 'linux' ? statFields(pid) : undefined
  return fields !== undefined && hasEnded(fields)
}

/** Those of /proc/<pid>/stat after the program's name, which may contain spaces and brackets. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function hasEnded([state]: readonly string[]): boolean {
  return state === 'Z' || state === 'X'
}

/** Seconds since 1970. Not cached: setting the clock changes it. */
function bootTime(): number | undefined {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]
    return seconds === undefined ? undefined : Number(seconds)
  } catch {
    return undefined
  }
}

/** Clocks are set, and file systems store coarse times. */
const SLACK_MS = 60_000

/**
 * Whether the process of that pid may have written a file at that time (ms since 1970). False for one that was started
 * later and got the same pid.
 */
export function couldHaveWritten(pid: number, writtenAt: number): boolean {
  const living = livingProcess(pid)
  return living !== undefined && (living.startedAt === undefined || living.startedAt <= writtenAt + SLACK_MS)
}

/** Identifies a process for ever: pids repeat, within a boot and after it. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks from boot to its start; null where the system does not report them. */
  readonly start: string | null
  readonly boot: string
  /** The machine's name; not recorded by older versions of Ion. */
  readonly machine?: string
  /** Linux: the PID namespace. Containers of one machine share the boot but not the pids. */
  readonly pidns?: string
}

export function identityOf(pid: number): ProcessIdentity {
  const pidns = pidNamespace()
  const start = livingProcess(pid)?.startTicks ?? null
  return { pid, start, boot: bootId(), machine: machineName(), ...(pidns === undefined ? {} : { pidns }) }
}

/** Runs on another machine, or in another container: nobody here can tell whether it lives. */
export function isForeign({ machine, boot, pidns }: ProcessIdentity): boolean {
  if (machine === undefined || machine === machineName()) return false
  // A machine that was renamed since is still the same one.
  return boot !== bootId() || pidns !== pidNamespace()
}

/** False for a process of another machine or container, which has pids of its own. */
export function isAlive(identity: ProcessIdentity): boolean {
  const { pid, start, boot } = identity
  if (boot !== bootId() || isForeign(identity)) return false
  const living = livingProcess(pid)
  if (!living) return false
  return start === null || living.startTicks === undefined || living.startTicks === start
}

/** Does nothing unless exactly that process lives. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(target)) return
  try {
    process.kill(target.pid, signal)
  } catch {
    // It has just ended.
  }
}

export function waitForExit(processes: readonly ProcessIdentity[], withinMs: number): Promise<boolean> {
  return waitUntil(() => !processes.some(isAlive), withinMs)
}

/**
 * The name by which a machine recognises its own leases after a restart: `ION_MACHINE`, else the Coder workspace, whose
 * container gets a new host name at each start, else the host name without its domain, which changes with the network.
 */
export function machineName(): string {
  return givenName() ?? hostname().split('.')[0]!
}

/** The machine's name if somebody gave it one: only one machine has it at a time, also after it was recreated. */
export function givenName(): string | undefined {
  const { ION_MACHINE, CODER_WORKSPACE_NAME, CODER_WORKSPACE_OWNER_NAME, CODER_WORKSPACE_AGENT_NAME } = process.env
  if (ION_MACHINE) return ION_MACHINE
  if (!CODER_WORKSPACE_NAME) return undefined
  return [CODER_WORKSPACE_OWNER_NAME, CODER_WORKSPACE_NAME, CODER_WORKSPACE_AGENT_NAME].filter(Boolean).join('/')
}

let namespace: string | undefined

function pidNamespace(): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    namespace ??= readlinkSync('/proc/self/ns/pid')
  } catch {
    // Not readable in some sandboxes.
  }
  return namespace
}

let boot: string | undefined

/** Changes with each boot of the machine; empty where the system has no such id. */
export function bootId(): string {
  boot ??= readBootId()
  return boot
}

function readBootId(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    if (process.platform !== 'darwin') return ''
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const options = { encoding: 'utf8', timeout: 1000 } as const
    return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], options).trim()
  } catch {
    return ''
  }
}
