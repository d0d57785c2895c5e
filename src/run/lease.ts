import { linkSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder, replaceFile } from '../platform/durable.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import type { Way } from './ledger.ts'
import { isAlive, markOf, type ProcessMark } from './process-mark.ts'

/** Who works on a task now. */
export interface Holder extends ProcessMark {
  readonly way: Way
  readonly since: string
}

export interface Lease {
  release(): void
}

export function isHolder(taken: Lease | Holder): taken is Holder {
  return 'pid' in taken
}

/**
 * One process at a time works on a task. A lease is a file `lease.<n>`; the highest number is the one that counts and is
 * never deleted, only marked as released. Whoever finds it dead makes the next number by a hard link, which only one
 * can. That needs no clock, and a lease of a process that died, of a reused pid or of another boot is simply passed by.
 */
export function takeLease(folder: string, way: Way, now: Date, steal = false): Lease | Holder {
  try {
    privateFolder(folder)
  } catch (error) {
    throw cannotTake(folder, error)
  }
  const mine: Holder = { ...markOf(process.pid), way, since: now.toISOString() }
  for (;;) {
    const last = lastNumber(folder)
    const holder = last === 0 ? undefined : readHolder(folder, last)
    if (holder && !steal && isAlive(holder)) return holder
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

/** Who holds the task's lease; undefined when nobody alive does. */
export function leaseHolder(folder: string): Holder | undefined {
  const last = lastNumber(folder)
  const holder = last === 0 ? undefined : readHolder(folder, last)
  return holder && isAlive(holder) ? holder : undefined
}

function leaseFile(folder: string, number: number): string {
  return join(folder, `lease.${number}`)
}

function numbers(folder: string): number[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const found = /^lease\.(\d{1,15})$/.exec(name)
      return found ? [Number(found[1])] : []
    })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function lastNumber(folder: string): number {
  return Math.max(0, ...numbers(folder))
}

/** Undefined for one that was released. It is whole or not there at all, since it comes by a link or a rename. */
function readHolder(folder: string, number: number): Holder | undefined {
  try {
    const value = JSON.parse(readFileSync(leaseFile(folder, number), 'utf8')) as Partial<Holder>
    return typeof value.pid === 'number' && typeof value.boot === 'string' ? (value as Holder) : undefined
  } catch {
    return undefined
  }
}

function link(folder: string, number: number, holder: Holder): boolean {
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
  return new IonError('failed', `cannot take the task's lease: ${messageOf(error)}`, {
    cause: error,
    hint: `make room or allow writing in ${folder}`,
  })
}

function release(folder: string, number: number): void {
  try {
    replaceFile(leaseFile(folder, number), '{"released":true}')
  } catch {
    // Nothing is lost: the lease dies with this process.
    try {
      unlinkSync(leaseFile(folder, number))
    } catch {
      // Then it stays, and is found dead.
    }
  }
}
