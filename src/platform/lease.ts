import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder } from './atomic-file.ts'
import { IonError, messageOf } from './error.ts'
import { listNames } from './list-dir.ts'
import { localTime } from './local-time.ts'
import { identityOf, isAlive, isForeign, machineName, type ProcessIdentity } from './process.ts'
import { sleepSync } from './wait.ts'
import { writeHint } from './write-hint.ts'

/** The process that has a lease, and what it recorded about itself. */
export type Holder<T> = ProcessIdentity & { readonly since?: string } & T

export interface Lease {
  /** `renamedTo`: the folder's new name, if it was renamed in the meantime. */
  release(renamedTo?: string): void
}

export interface LeaseOptions {
  /** Blocks up to that long while another process has it. */
  readonly waitMs?: number
  /** Takes it even from another machine or container, which may still be working. */
  readonly steal?: boolean
  /** What to type to steal it. By default, how to remove its file. */
  readonly takeOver?: string
}

export function isHolder<T>(taken: Lease | Holder<T>): taken is Holder<T> {
  return 'pid' in taken
}

const WAIT_STEP_MS = 10

/**
 * The one lock of Ion: one process at a time works in a folder. A lease is a file `lease.<n>`; the highest number counts
 * and is never deleted, only marked as released. Whoever finds its process dead creates the next number by a hard link,
 * which only one can. That needs no clock, and a lease of a dead process, of a reused pid or of an earlier boot does not
 * count. One of another machine or container is refused with an error: whether that process lives is not known here.
 */
export function takeLease<T extends object>(
  folder: string,
  about: T,
  { waitMs = 0, steal = false, takeOver }: LeaseOptions = {},
): Lease | Holder<T> {
  try {
    privateFolder(folder)
  } catch (error) {
    throw cannotTake(folder, error)
  }
  let waitedMs = 0
  const mine: Holder<T> = { ...identityOf(process.pid), ...about }
  for (;;) {
    const last = lastNumber(folder)
    const holder = last === 0 ? undefined : readHolder<T>(folder, last)
    if (holder && (isForeign(holder) ? !steal : isAlive(holder))) {
      if (waitedMs < waitMs) {
        sleepSync(WAIT_STEP_MS)
        waitedMs += WAIT_STEP_MS
        continue
      }
      if (isForeign(holder)) throw heldElsewhere(holder, takeOver ?? `rm ${leaseFile(folder, last)}`)
      return holder
    }
    const number = last + 1
    if (!link(folder, number, mine)) continue
    // Another process may have passed this number in the meantime.
    if (lastNumber(folder) !== number) {
      remove(leaseFile(folder, number))
      continue
    }
    for (const older of numbers(folder)) if (older < number) remove(leaseFile(folder, older))
    return { release: (renamedTo = folder) => release(renamedTo, number) }
  }
}

/** Who holds the lease on this machine; undefined if nobody alive does. */
export function leaseHolder<T>(folder: string): Holder<T> | undefined {
  const last = lastNumber(folder)
  const holder = last === 0 ? undefined : readHolder<T>(folder, last)
  return holder && isAlive(holder) ? holder : undefined
}

function leaseFile(folder: string, number: number): string {
  return join(folder, `lease.${number}`)
}

function numbers(folder: string): number[] {
  return listNames(folder).flatMap((name) => {
    const found = /^lease\.(\d{1,15})$/.exec(name)
    return found ? [Number(found[1])] : []
  })
}

function lastNumber(folder: string): number {
  return Math.max(0, ...numbers(folder))
}

/** Undefined for one that was released. It is never half written, since it is created by a link or a rename. */
function readHolder<T>(folder: string, number: number): Holder<T> | undefined {
  try {
    const value = JSON.parse(readFileSync(leaseFile(folder, number), 'utf8')) as Partial<Holder<T>>
    return typeof value.pid === 'number' && typeof value.boot === 'string' ? (value as Holder<T>) : undefined
  } catch {
    return undefined
  }
}

function link(folder: string, number: number, holder: object): boolean {
  const temporary = join(folder, `.lease-${ownSuffix()}`)
  try {
    writeFileSync(temporary, JSON.stringify(holder), { mode: 0o600 })
    linkSync(temporary, leaseFile(folder, number))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cannotTake(folder, error)
  } finally {
    remove(temporary)
  }
}

/** Two containers may have the same pid. */
function ownSuffix(): string {
  return `${machineName().replace(/[^\w.-]/g, '_')}-${process.pid}`
}

function heldElsewhere({ machine, pid, since }: Holder<unknown>, takeOver: string): IonError {
  const details = since === undefined ? `pid ${pid} there` : `pid ${pid} there, since ${localTime(since)}`
  return new IonError(
    'refused',
    `${machine} is working on this (${details}): another machine or container with this home`,
    {
      hint: `wait for it, or stop it there; if ${machine} no longer exists: ${takeOver}`,
    },
  )
}

/** What `link` says where the file system has no hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Whether a lease could not be taken because the file system has no hard links, as some network mounts. */
export function hasNoHardLinks(error: unknown): boolean {
  const { code, syscall } = ((error instanceof IonError && error.cause) || error) as NodeJS.ErrnoException
  return syscall === 'link' && NO_LINKS.includes(code ?? '')
}

function cannotTake(folder: string, error: unknown): IonError {
  if (hasNoHardLinks(error)) {
    return new IonError('failed', `the file system of ${folder} has no hard links, which Ion needs for its locks`, {
      cause: error,
      hint: 'set ION_HOME to a folder on a local disk',
    })
  }
  return new IonError('failed', `cannot lock ${folder}: ${messageOf(error)}`, {
    cause: error,
    hint: writeHint(error, folder),
  })
}

/** Not synced to disk: after a crash of the machine no earlier lease counts. */
function release(folder: string, number: number): void {
  const temporary = join(folder, `.released-${ownSuffix()}`)
  try {
    writeFileSync(temporary, '{"released":true}', { mode: 0o600 })
    renameSync(temporary, leaseFile(folder, number))
  } catch {
    // Nothing is lost: the lease dies with this process.
    remove(leaseFile(folder, number))
  }
}

/** What cannot be removed stays, and does not count. Not `rmSync`, which takes longer to load than all of this. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Another process has removed it.
  }
}
