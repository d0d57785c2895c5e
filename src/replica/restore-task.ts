import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { privateFolder, replaceFile } from '../platform/atomic-file.ts'
import { IonError } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { isWithin } from '../platform/project.ts'
import { appendEntry, ledgerFile } from '../run/ledger.ts'
import { type LocatedSession, SessionLookup } from '../run/session-lookup.ts'
import { saveRecord } from '../run/session-record.ts'
import type { Task } from '../run/task.ts'
import { writeTaskFile } from '../run/tasks.ts'
import type { StoredPart } from '../vault/manifest.ts'
import { type Move, moveFolder } from '../vault/path-rewrite.ts'
import { type RestoreResult, restore } from '../vault/restore.ts'
import { removeStaleStaging, stagingFile } from '../vault/staging-file.ts'
import { type ImageAbout, type ImageSession, readImageAbout, readPartAbout } from './image-about.ts'
import { fetchParts } from './log/fetch-parts.ts'
import type { LoadedState } from './log/read-log.ts'
import { sizeOf } from './log/state.ts'
import type { TaskLog } from './log/task-log.ts'

export interface TaskRestore {
  readonly agent: Agent
  /** The task here: its project may be at another path. */
  readonly task: Task
  readonly io: Io
  readonly log: TaskLog
  readonly loaded: LoadedState
  /** Replace what is here; the caller has archived it. */
  readonly replace?: boolean
  /** Called when everything was downloaded and checked. */
  readonly beforeWriting?: () => void
  readonly onBytes?: (count: number) => void
}

export interface RestoredTask {
  /** The session as it is here; undefined when the agent had not created one. */
  readonly session: LocatedSession | undefined
  readonly bytes: number
}

/**
 * Restores a task from its replica: everything is downloaded and checked first, then the session goes to the agent's store,
 * and at last the ledger to the task's folder. Interrupted before that, nothing was started here yet, and the next start
 * restores it again.
 */
export async function restoreTask(request: TaskRestore): Promise<RestoredTask> {
  const { agent, io, log, loaded } = request
  const about = readImageAbout(loaded.state.about)
  if (about?.agent !== agent.id) throw log.damaged('the newest record', 'is not of a task of this agent')
  const staging = stagingFolder(io)
  try {
    const files = await fetchParts(log, loaded, staging, request.onBytes)
    const parts = new Parts(loaded, files, log)
    request.beforeWriting?.()
    const session = about.session ? restoreSession(about, about.session, parts, request) : undefined
    writeTaskFiles(about, session, parts, staging, request)
    return { session, bytes: sizeOf(loaded.state) }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** What a killed restore has left is removed: it is not encrypted. */
function stagingFolder(io: Io): string {
  const folder = privateFolder(join(ionHome(io), 'replica'))
  removeStaleStaging(folder)
  return privateFolder(stagingFile(folder))
}

const LEDGER = basename(ledgerFile(''))

/** The downloaded parts, sorted by where they belong. */
class Parts {
  readonly task: { readonly path: string; readonly file: string }[] = []
  readonly session: StoredPart[] = []
  readonly #files = new Map<StoredPart, string>()

  constructor({ state }: LoadedState, files: ReadonlyMap<string, string>, log: TaskLog) {
    for (const [name, { about, size }] of state.parts) {
      const place = readPartAbout(about)
      const file = files.get(name)!
      if (!place) throw log.damaged(`"${name}"`, 'is not a part of a task')
      if (place.of === 'task') {
        this.task.push({ path: place.path, file })
        continue
      }
      const { of, ...part } = place
      const stored: StoredPart = { ...part, size, pieces: [] }
      this.session.push(stored)
      this.#files.set(stored, file)
    }
  }

  readonly content = (part: StoredPart): Iterable<Buffer> => readBlocks(this.#files.get(part)!)
}

const BLOCK = 1024 * 1024

function* readBlocks(file: string): Generator<Buffer> {
  const fd = openSync(file, 'r')
  try {
    for (;;) {
      const block = Buffer.allocUnsafe(BLOCK)
      const count = readSync(fd, block, 0, BLOCK, null)
      if (count === 0) return
      yield block.subarray(0, count)
    }
  } finally {
    closeSync(fd)
  }
}

/** The project, and everything else below the home. */
function moveOf({ project, home }: ImageAbout, task: Task, io: Io): Move | undefined {
  if (project === task.project && home === io.home) return undefined
  const inProject = moveFolder(project, task.project)
  const inHome = moveFolder(home, io.home)
  return (path) => (isWithin(path, project) ? inProject(path) : inHome(path))
}

/** Returns the session as it is here: some ids are made from the place. */
function restoreSession(
  about: ImageAbout,
  { native_id, cwd }: ImageSession,
  { session: parts, content }: Parts,
  { agent, task, io, log, replace = false }: TaskRestore,
): LocatedSession {
  const move = moveOf(about, task, io)
  let results: RestoreResult[]
  try {
    results = restore({ agent, native_id, cwd, parts, content, io, replace, ...(move ? { move } : {}) })
  } catch (error) {
    // The hint of a restore names options of `ion restore`.
    if (!(error instanceof IonError) || error.kind !== 'refused') throw error
    throw new IonError('refused', error.message, {
      cause: error,
      hint: `the session here is not that of the replica: ion replica restore ${agent.id} --replace archives it and takes the other`,
    })
  }
  const lookup = new SessionLookup(agent, io, task.folder)
  const paths = new Set(results.map(({ path }) => path))
  const found = lookup.find(native_id) ?? lookup.matching(new Date(0), ({ path }) => paths.has(path))[0]
  if (!found) throw log.damaged(`session ${native_id}`, `was restored, but ${agent.title} does not have it`)
  return found
}

/** The ledger comes last: with it, the task counts as started. It gets the place where the session is now. */
function writeTaskFiles(
  { project, home, session: before }: ImageAbout,
  session: LocatedSession | undefined,
  { task: files }: Parts,
  staging: string,
  { task, io }: TaskRestore,
): void {
  for (const { path, file } of files) {
    if (path !== LEDGER) replaceFile(join(task.folder, path), readFileSync(file))
  }
  writeTaskFile(task)
  const ledger = files.find(({ path }) => path === LEDGER)
  if (!ledger) return
  replaceFile(ledgerFile(staging), readFileSync(ledger.file))
  // An agent of that home may be running on this machine: it is not one of this home.
  if (home !== io.home) appendEntry(staging, { type: 'restored', run: 'restored' }, io)
  if (project !== task.project) {
    appendEntry(staging, { type: 'moved', run: 'restored', from: project, to: task.project }, io)
  }
  const isElsewhere = project !== task.project || home !== io.home || session?.head.native_id !== before?.native_id
  if (session && isElsewhere) {
    const { head, files: found } = session
    const pin = { native_id: head.native_id, files: found, cwd: head.cwd ?? task.project, how: 'found' } as const
    appendEntry(staging, { type: 'session', run: 'restored', ...pin }, io)
  }
  replaceFile(ledgerFile(task.folder), readFileSync(ledgerFile(staging)))
  saveRecord(task.folder)
}
