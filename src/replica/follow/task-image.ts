import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { BackupPart, BackupSpec } from '../../agents/backup.ts'
import { isProblem } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import { readRegularFile } from '../../native/regular-file.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { type LocatedSession, SessionLookup } from '../../run/session-lookup.ts'
import { readTaskState } from '../../run/session-record.ts'
import type { Task } from '../../run/task.ts'
import type { PinnedSession } from '../../run/task-state.ts'
import { readPart, storePath } from '../../vault/part-content.ts'
import {
  type ImageAbout,
  LEDGER_PART,
  type PartAbout,
  readImageAbout,
  SESSION_PARTS,
  TASK_FILES,
} from '../image-about.ts'
import type { About } from '../log/record.ts'
import type { LogState } from '../log/state.ts'
import type { Image, ImagePart } from '../log/write-log.ts'
import { LinesPart } from './lines-part.ts'
import { WholePart } from './whole-part.ts'

export interface FollowedTask {
  readonly agent: Agent
  readonly task: Task
  readonly io: Io
}

/**
 * The session was in the agent's store and is not there now, or the task's own folder is gone, as when the home is deleted while
 * its processes still run. What is in the replica stays as it is.
 */
export class SessionGone extends Error {}

type Tracker =
  | { readonly kind: 'lines'; readonly part: LinesPart }
  | { readonly kind: 'whole'; readonly part: WholePart }

/** What is replicated of a task, looked at again and again: its own files and the exact parts of its session. */
export class TaskImage {
  readonly #followed: FollowedTask
  readonly #trackers = new Map<string, Tracker>()
  #before: LogState | undefined
  #located: LocatedSession | undefined
  /** The id of the session that was in the agent's store. */
  #seen: string | undefined
  /** The size of the ledger, which only grows. */
  #ledgerSize: number

  /** `before`: what is in the store. */
  constructor(followed: FollowedTask, before: LogState | undefined) {
    this.#followed = followed
    this.#before = before
    this.#seen = before && readImageAbout(before.about)?.session?.native_id
    // That of another home may be longer, if it has restored the task and done nothing.
    this.#ledgerSize = before?.parts.has(LEDGER_PART) ? 1 : 0
  }

  /** As it is now. The task's own files are read first: what they say of the session is in what is read of it. */
  look(): Image {
    const { agent, task, io } = this.#followed
    let pinned: PinnedSession | undefined
    let parts: ImagePart[]
    do {
      pinned = this.#pinned()
      parts = [...this.#taskParts()]
    } while (this.#pinned()?.native_id !== pinned?.native_id)
    const { size: ledgerSize = 0 } = parts.find(({ name }) => name === LEDGER_PART) ?? {}
    if (ledgerSize < this.#ledgerSize) throw new SessionGone(`the ledger of the task is gone: ${task.folder}`)
    this.#ledgerSize = ledgerSize
    const session = pinned && this.#session(pinned)
    if (session) parts.push(...this.#sessionParts(session, agent.backup!))
    const about: ImageAbout = {
      agent: agent.id,
      name: task.name,
      project: task.project,
      home: io.home,
      session: session
        ? { native_id: session.head.native_id, cwd: session.head.cwd, agent_version: session.head.agent_version }
        : null,
    }
    this.#forget(parts)
    return { about: { ...about }, parts }
  }

  /** The image is in the store: the next one is described as a change of it. */
  stored({ parts }: Image): void {
    this.#before = undefined
    for (const part of parts) this.#trackers.get(part.name)?.part.stored(part)
  }

  /** Something did not fit: what was noted of the files is not relied upon. */
  doubt(): void {
    for (const { kind, part } of this.#trackers.values()) if (kind === 'lines') part.doubt()
  }

  close(): void {
    for (const { kind, part } of this.#trackers.values()) if (kind === 'whole') part.close()
    this.#trackers.clear()
  }

  *#taskParts(): Generator<ImagePart> {
    const { folder } = this.#followed.task
    for (const path of taskFiles(folder)) {
      const name = `task/${path}`
      const about: PartAbout = { of: 'task', path }
      const file = join(folder, path)
      const found = path.endsWith('.jsonl')
        ? this.#lines(name, file).look(name, () => about)
        : this.#whole(name, file).look(name, (take) => readFile(file, take, about))
      if (found) yield found
    }
  }

  #pinned(): PinnedSession | undefined {
    return readTaskState(this.#followed.task.folder).session
  }

  /** Undefined until the agent has created it. */
  #session(pinned: PinnedSession): LocatedSession | undefined {
    const { agent, task, io } = this.#followed
    // A head without a folder was read before the agent had written one, and a restore needs it to move the session.
    const known = this.#located?.head
    if (known?.native_id === pinned.native_id && known.cwd !== null) return this.#located
    this.#located = new SessionLookup(agent, io, task.folder).find(pinned.native_id, pinned.files)
    if (!this.#located && this.#seen === pinned.native_id)
      throw new SessionGone(`session ${pinned.native_id} is gone from the store of ${agent.title}`)
    return this.#located
  }

  #sessionParts({ head }: LocatedSession, backup: BackupSpec): ImagePart[] {
    const { agent, io } = this.#followed
    const parts: ImagePart[] = []
    for (const part of backup.parts(head, readContext(io))) {
      if (isProblem(part)) throw new Error(part.problem)
      const found = this.#sessionPart(part, backup)
      if (found) parts.push(found)
    }
    if (parts.length === 0) {
      this.#located = undefined
      throw new SessionGone(`session ${head.native_id} is gone from the store of ${agent.title}`)
    }
    this.#seen = head.native_id
    return parts
  }

  #sessionPart(part: BackupPart, backup: BackupSpec): ImagePart | undefined {
    const { io } = this.#followed
    const { kind, root, path } = part
    const name = `${SESSION_PARTS}${kind}/${root}/${path}`
    const file = storePath(part, backup, io)
    if (part.kind === 'file' && part.form === 'lines') {
      const { form, shared } = part
      const about = (mode: number): About => ({
        of: 'session',
        kind,
        root,
        path,
        form,
        mode,
        ...(shared ? { shared } : {}),
      })
      return this.#lines(name, file).look(name, about)
    }
    return this.#whole(name, file).look(name, (take) => {
      const copied = readPart(part, backup, io, take)
      return copied && { of: 'session', ...copied }
    })
  }

  #lines(name: string, file: string): LinesPart {
    const known = this.#trackers.get(name)
    if (known?.kind === 'lines') return known.part
    const part = new LinesPart(file, this.#before?.parts.get(name))
    this.#trackers.set(name, { kind: 'lines', part })
    return part
  }

  #whole(name: string, file: string): WholePart {
    const known = this.#trackers.get(name)
    if (known?.kind === 'whole') return known.part
    const part = new WholePart(file, this.#followed.task.folder, this.#followed.io)
    this.#trackers.set(name, { kind: 'whole', part })
    return part
  }

  /** Parts that are gone. */
  #forget(parts: readonly ImagePart[]): void {
    const names = new Set(parts.map(({ name }) => name))
    for (const [name, { kind, part }] of this.#trackers) {
      if (names.has(name)) continue
      if (kind === 'whole') part.close()
      this.#trackers.delete(name)
    }
  }
}

/** Replaced as a whole by Ion itself, and small. */
function readFile(path: string, take: (bytes: Buffer) => void, about: About): About | undefined {
  const content = attempt(() => readRegularFile(path))
  if (content === undefined) return undefined
  take(content)
  return about
}

function taskFiles(folder: string): string[] {
  const names = attempt(() => readdirSync(folder)) ?? []
  const prompts = attempt(() => readdirSync(join(folder, 'prompts'))) ?? []
  return [...names, ...prompts.map((name) => `prompts/${name}`)].filter((path) => TASK_FILES.test(path)).sort()
}
