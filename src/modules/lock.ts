import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { bootId } from '../platform/boot.ts'
import { privateFolder } from '../platform/durable.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { livingProcess } from '../platform/process.ts'
import { journalFile } from './journal.ts'

interface Holder {
  readonly pid: number
  readonly start: string | null
  readonly boot: string
}

/** Runs `body` while no other process migrates; refuses when one does. One that died does not count. */
export function alone<T>(io: Io, body: () => T): T {
  const lock = `${journalFile(io)}.lock`
  try {
    privateFolder(dirname(lock))
    take(lock)
  } catch (error) {
    if (error instanceof IonError) throw error
    throw new IonError('failed', `cannot write ${lock}: ${messageOf(error)}`, {
      cause: error,
      hint: `make room or allow writing in ${dirname(lock)}`,
    })
  }
  try {
    return body()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock: string): void {
  const mine = `${lock}.${process.pid}`
  const me: Holder = { pid: process.pid, start: livingProcess(process.pid)?.startTicks ?? null, boot: bootId() }
  // By a link it is there whole or not at all.
  writeFileSync(mine, JSON.stringify(me), { mode: 0o600 })
  try {
    while (!link(mine, lock)) {
      const holder = read(lock)
      if (holder && isAlive(holder)) {
        throw new IonError('refused', `another process (${holder.pid}) is migrating`, { hint: 'wait for it to end' })
      }
      // Two that find the same dead one: only one of them can rename it away.
      renameAway(lock, `${mine}.dead`)
    }
  } finally {
    rmSync(mine, { force: true })
    rmSync(`${mine}.dead`, { force: true })
  }
}

function link(mine: string, lock: string): boolean {
  try {
    linkSync(mine, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function renameAway(lock: string, dead: string): void {
  try {
    renameSync(lock, dead)
  } catch (error) {
    if (!isMissing(error)) throw error
    return
  }
  const taken = read(dead)
  // A living one took it between the look and the rename: it gets it back.
  if (taken && isAlive(taken)) link(dead, lock)
}

function read(path: string): Holder | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>
    return typeof value.pid === 'number' && typeof value.boot === 'string' ? (value as Holder) : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, start, boot }: Holder): boolean {
  if (boot !== bootId()) return false
  const living = livingProcess(pid)
  if (!living) return false
  return start === null || living.startTicks === undefined || living.startTicks === start
}
