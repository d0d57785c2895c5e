import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder } from './atomic-file.ts'
import { IonError, messageOf } from './error.ts'
import { listNames } from './list-dir.ts'
import { identityOf, isAlive, type ProcessIdentity } from './process.ts'

/** The process that has a lease, and what it said of itself. */
export type Holder<T> = ProcessIdentity & T

export interface Lease {
  release(): void
}

export function isHolder<T>(taken: Lease | Holder<T>): taken is Holder<T> {
  return 'pid' in taken
}

/**
 * One process at a time works in a folder. A lease is a file `lease.<n>`; the highest number is the one that counts and is
 * never deleted, only marked as released. Whoever finds it dead makes the next number by a hard link, which only one
 * can. That needs no clock, and a lease of a process that died, of a reused pid or of another boot is simply passed by.
 */
export function takeLease<T extends object>(folder: string, about: T): Lease | Holder<T> {
  try {
    privateFolder(folder)
  } catch (error) {
    throw cannotTake(folder, error)
  }
  const mine: Holder<T> = { ...identityOf(process.pid), ...about }
  for (;;) {
    const last = lastNumber(folder)
    const holder = last === 0 ? undefined : readHolder<T>(folder, last)
    if (holder && isAlive(holder)) return holder
    const number = last + 1
    if (!link(folder, number, mine)) continue
    // Another may have gone past this number while we looked.
    if (lastNumber(folder) !== number) {
      rmSync(leaseFile(folder, number), { force: true })
      continue
    }
    for (const older of numbers(folder)) if (older < number) rmSync(leaseFile(folder, older), { force: true })
    return { release: () => release(folder, number) }
  }
}

/** Who holds the lease; undefined when nobody alive does. */
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

/** Undefined for one that was released. It is whole or not there at all, since it comes by a link or a rename. */
function readHolder<T>(folder: string, number: number): Holder<T> | undefined {
  try {
    const value = JSON.parse(readFileSync(leaseFile(folder, number), 'utf8')) as Partial<Holder<T>>
    return typeof value.pid === 'number' && typeof value.boot === 'string' ? (value as Holder<T>) : undefined
  } catch {
    return undefined
  }
}

function link(folder: string, number: number, holder: object): boolean {
  const temporary = join(folder, `.lease-${process.pid}`)
  try {
    writeFileSync(temporary, JSON.stringify(holder), { mode: 0o600 })
    linkSync(temporary, leaseFile(folder, number))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cannotTake(folder, error)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function cannotTake(folder: string, error: unknown): IonError {
  return new IonError('failed', `cannot take the lease: ${messageOf(error)}`, {
    cause: error,
    hint: `make room or allow writing in ${folder}`,
  })
}

/** Without a wait for the disk: after a crash of the machine no lease of before counts. */
function release(folder: string, number: number): void {
  const temporary = join(folder, `.released-${process.pid}`)
  try {
    writeFileSync(temporary, '{"released":true}', { mode: 0o600 })
    renameSync(temporary, leaseFile(folder, number))
  } catch {
    // Nothing is lost: the lease dies with this process.
    try {
      unlinkSync(leaseFile(folder, number))
    } catch {
      // Then it stays, and is found dead.
    }
  }
}
