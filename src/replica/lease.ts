import { randomUUID } from 'node:crypto'
import { parsedObject } from '../native/narrow.ts'
import { IonError } from '../platform/error.ts'
import { localTime } from '../platform/local-time.ts'
import { givenName, identityOf, isAlive, type ProcessIdentity } from '../platform/process.ts'
import { isCount, isText, isTextOrNull } from '../vault/validate.ts'
import { loadNewest, newestTenure, type Tenure } from './log/read-log.ts'
import { type Head, isHead } from './log/record.ts'
import type { TaskLog } from './log/task-log.ts'
import { Fenced } from './log/write-log.ts'
import { isConflict, type PutCondition } from './store/object-store.ts'

/** A holder that lives says so this often. */
export const BEAT_MS = 15_000

/** One that has said nothing for so long, by the store's clock, is gone. */
const SILENT_MS = 60_000

const POLL_MS = 2000

export interface LeaseDocument extends Tenure {
  readonly v: 1
  readonly base: Head | null
  readonly head: Head | null
  /** A random id of this tenure, in each of its records. */
  readonly writer: string
  readonly holder: ProcessIdentity
  /** The name that was given to the holder's machine, if any: a workspace that was recreated is the same one. */
  readonly workspace: string | null
  /** Counted, so that no two versions of this document are the same: on S3 they would have the same tag. */
  readonly beats: number
  readonly since: string
  readonly isReleased: boolean
}

export interface TakeOptions {
  /** A random id of the tenure. Given by whoever may try again after an error: it may have been taken, and only the answer was lost. */
  readonly writer?: string
  /** The record to continue from, instead of the last one, whatever the lease says. */
  readonly base?: Head
  /** What to type to take it from a holder that lives. */
  readonly takeOver: string
  readonly steal: boolean
  readonly now: () => Date
  /** Waits before the next look; gets what to tell the user meanwhile. */
  readonly wait: (ms: number, why: string) => Promise<void>
}

/**
 * The right to write a task in a store: one workspace at a time has it. It is an object that is only ever replaced on the
 * condition that it is still the one that was read, so of two that try at once one wins; and whoever lost it notices when
 * it next says that it lives.
 */
export class ReplicaLease {
  readonly #log: TaskLog
  #document: LeaseDocument
  #tag: string
  /** One put after the other. */
  #putting: Promise<void> = Promise.resolve()

  private constructor(log: TaskLog, document: LeaseDocument, tag: string) {
    this.#log = log
    this.#document = document
    this.#tag = tag
  }

  /** Throws `refused` while a workspace that lives has it; waits for one that may be gone. */
  static async take(log: TaskLog, options: TakeOptions): Promise<ReplicaLease> {
    const { writer = randomUUID() } = options
    let silent: { readonly tag: string } | undefined
    for (;;) {
      const found = await readLease(log)
      if (found?.document.writer === writer) {
        const own = new ReplicaLease(log, found.document, found.tag)
        if (found.document.isReleased || found.ageMs > BEAT_MS) await own.beat(undefined)
        return own
      }
      if (found && !options.steal) {
        const { document, tag, ageMs } = found
        const state = stateOf(found)
        if (state === 'lives' || (state === 'unknown' && silent && silent.tag !== tag))
          throw held(log, found, options.takeOver)
        if (state === 'unknown') {
          silent = { tag }
          const leftMs = SILENT_MS - ageMs
          await options.wait(Math.min(POLL_MS, leftMs), waiting(document, ageMs))
          continue
        }
      }
      const taken = await tryTake(log, found, writer, options)
      if (taken) return new ReplicaLease(log, taken.document, taken.tag)
    }
  }

  /**
   * Takes it in one request, if it is still as it was released here: then nobody has had it since, and nobody has stored
   * anything. Undefined otherwise, and then nothing has changed in the store.
   */
  static async retake(
    log: TaskLog,
    { tag, epoch, head }: ReleasedLease,
    { writer, now }: { readonly writer: string; readonly now: () => Date },
  ): Promise<ReplicaLease | undefined> {
    const taken = await putNew(log, { tag }, { epoch: epoch + 1, base: head, writer, now })
    return taken && new ReplicaLease(log, taken.document, taken.tag)
  }

  get tenure(): LeaseDocument {
    return this.#document
  }

  /** Of the lease as it was last put. */
  get tag(): string {
    return this.#tag
  }

  /** Says that this workspace lives, and what it has stored. Throws `Fenced` when another one has taken over. */
  async beat(head: Head | undefined): Promise<void> {
    await this.#put(head, false)
  }

  /** Says so while something takes its time; what goes wrong with that is found out afterwards. */
  async beatDuring<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => void this.beat(undefined).catch(() => {}), BEAT_MS)
    return work.finally(() => clearInterval(timer))
  }

  async release(head: Head | undefined): Promise<void> {
    await this.#put(head, true)
  }

  #put(head: Head | undefined, isReleased: boolean): Promise<void> {
    const put = this.#putting.then(() => this.#putNow(head, isReleased))
    this.#putting = put.catch(() => {})
    return put
  }

  async #putNow(head: Head | undefined, isReleased: boolean): Promise<void> {
    for (;;) {
      const last = this.#document
      const document: LeaseDocument = { ...last, head: head ?? last.head, beats: last.beats + 1, isReleased }
      try {
        this.#tag = await this.#log.put(this.#log.keys.lease, encode(document), { tag: this.#tag })
        this.#document = document
        return
      } catch (error) {
        if (!isConflict(error)) throw error
        const found = await readLease(this.#log)
        // It was put from here, and only the answer was lost.
        const isOurs = found?.document.writer === last.writer && found.document.beats > last.beats
        if (!isOurs) throw new Fenced(takenOver(found?.document))
        this.#document = found.document
        this.#tag = found.tag
      }
    }
  }
}

/** A lease after it was released: its tag, the epoch that ended with it, and the newest record then. */
export interface ReleasedLease {
  readonly tag: string
  readonly epoch: number
  readonly head: Head | null
}

export interface FoundLease {
  readonly document: LeaseDocument
  readonly tag: string
  readonly ageMs: number
}

/** Undefined for a task that is not in the store. */
export async function readLease(log: TaskLog): Promise<FoundLease | undefined> {
  const { lease } = log.keys
  const object = await log.store.get(lease)
  if (!object) return undefined
  const document = log.open(
    lease,
    object.bytes,
    decode,
    'if nobody works on the task, remove that object, and then: ion replica restore <agent>',
  )
  return { document, tag: object.tag, ageMs: object.ageMs }
}

/** Throws if there are newer records than those of the lease that was read. False if another one was put since. */
export async function isCurrent(log: TaskLog, found: FoundLease | undefined): Promise<boolean> {
  const { epoch: newest = 0 } = (await newestTenure(log)) ?? {}
  if (newest <= (found?.document.epoch ?? 0)) return true
  if ((await readLease(log))?.tag !== found?.tag) return false
  throw log.rolledBack()
}

/** Throws if another tenure has begun since it was read. */
export async function requireSameTenure(log: TaskLog, { epoch }: Tenure): Promise<void> {
  const now = await readLease(log)
  if (now?.document.epoch === epoch) return
  throw new IonError('refused', `a workspace has just started a task in ${log.store.address}`, {
    hint: 'run the command again',
  })
}

/**
 * Puts a lease that nobody holds again, as it is: no workspace then takes it by what it remembers of it, but opens the store
 * from scratch.
 */
export async function renewReleased(log: TaskLog): Promise<void> {
  const { document, tag } = (await readLease(log)) ?? {}
  if (!document?.isReleased) return
  try {
    await log.put(log.keys.lease, encode({ ...document, beats: document.beats + 1 }), { tag: tag! })
  } catch (error) {
    // It was taken just now.
    if (!isConflict(error)) throw error
  }
}

/** Undefined when somebody else was faster. */
async function tryTake(
  log: TaskLog,
  found: FoundLease | undefined,
  writer: string,
  { base, now }: TakeOptions,
): Promise<TakenLease | undefined> {
  const last = found?.document
  const lastEpoch = last?.epoch ?? 0
  if (!base && !(await isCurrent(log, found))) return undefined
  const { epoch: newest = 0 } = (base && (await newestTenure(log))) ?? {}
  return putNew(log, found ? { tag: found.tag } : { isNew: true }, {
    epoch: Math.max(lastEpoch, newest) + 1,
    base: base ?? (last ? await baseOf(log, last) : null),
    writer,
    now,
  })
}

interface TakenLease {
  readonly document: LeaseDocument
  readonly tag: string
}

interface NewTenure {
  readonly epoch: number
  readonly base: Head | null
  readonly writer: string
  readonly now: () => Date
}

/** Undefined when the condition does not hold. */
async function putNew(
  log: TaskLog,
  condition: PutCondition,
  { epoch, base, writer, now }: NewTenure,
): Promise<TakenLease | undefined> {
  const document: LeaseDocument = {
    v: 1,
    epoch,
    base,
    head: null,
    writer,
    holder: identityOf(process.pid),
    workspace: givenName() ?? null,
    beats: 0,
    since: now().toISOString(),
    isReleased: false,
  }
  try {
    return { document, tag: await log.put(log.keys.lease, encode(document), condition) }
  } catch (error) {
    if (isConflict(error)) return undefined
    throw error
  }
}

/** The last record that counts. Whoever did not release the lease may have stored more than it says. */
async function baseOf(log: TaskLog, last: LeaseDocument): Promise<Head | null> {
  if (last.isReleased) return last.head ?? last.base
  const loaded = await loadNewest(log, last)
  return loaded?.state.head ?? null
}

/** `unknown`: it is on another machine, and was heard of recently. */
export function stateOf({ document, ageMs }: FoundLease): 'free' | 'lives' | 'unknown' {
  const { holder, workspace, isReleased } = document
  if (isReleased || ageMs >= SILENT_MS) return 'free'
  const here = identityOf(process.pid)
  const isHere = holder.boot === here.boot && holder.pidns === here.pidns
  if (isHere) return isAlive(holder) ? 'lives' : 'free'
  // This workspace before it was recreated. A host name does not prove that: two containers may have the same.
  return workspace !== null && workspace === givenName() ? 'free' : 'unknown'
}

function takenOver(document: LeaseDocument | undefined): string {
  if (!document) return 'its lease was removed from the store'
  return `${placeOf(document)} has taken over this task (since ${localTime(document.since)})`
}

function held(log: TaskLog, { document, ageMs }: FoundLease, takeOver: string): IonError {
  return new IonError(
    'refused',
    `${placeOf(document)} is working on this task in ${log.store.address} (since ${localTime(document.since)}, ` +
      `heard of ${Math.round(ageMs / 1000)} s ago)`,
    { hint: `stop it there, or take over: ${takeOver}` },
  )
}

function waiting(document: LeaseDocument, ageMs: number): string {
  const left = Math.ceil((SILENT_MS - ageMs) / 1000)
  return `${placeOf(document)} had this task ${Math.round(ageMs / 1000)} s ago; it is taken over in ${left} s if nothing is heard from it`
}

/** For messages. */
export function placeOf({ holder }: LeaseDocument): string {
  return `${holder.machine ?? 'another machine'} (pid ${holder.pid})`
}

function encode(document: LeaseDocument): Buffer {
  return Buffer.from(JSON.stringify(document))
}

/** The error says what is wrong with it; the caller knows which one it is. */
function decode(plain: Buffer): LeaseDocument {
  const document = parsedObject(plain.toString('utf8'))
  if (!isLease(document)) throw new Error('is not a lease')
  return document
}

function isLease(value: unknown): value is LeaseDocument {
  const { v, epoch, base, head, writer, holder, workspace, beats, since, isReleased } = Object(value) as Record<
    string,
    unknown
  >
  const { pid, boot } = Object(holder) as Record<string, unknown>
  return (
    v === 1 &&
    isCount(epoch) &&
    [base, head].every((one) => one === null || isHead(one)) &&
    [writer, since, boot].every(isText) &&
    [pid, beats].every(isCount) &&
    isTextOrNull(workspace) &&
    typeof isReleased === 'boolean'
  )
}
