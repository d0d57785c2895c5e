import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent, Source } from '../../agents/agent.ts'
import { isProblem } from '../../events/item.ts'
import { type FolderWatch, withParents } from '../../live/folder-watch.ts'
import { SeenFiles, sameStamps } from '../../live/seen-files.ts'
import { readContext } from '../../native/read-context.ts'
import { type FileStamp, listFolder, stampOf } from '../../native/walk.ts'
import type { Io } from '../../platform/io.ts'

/** A scan is repeated while it finds folders that were not watched yet, but no more often than this. */
const MAX_ROUNDS = 5

/** New folders that are watched in case a session appears in them; beyond this the oldest are dropped. */
const MAX_EXPECTED = 64
const MAX_IGNORED = 1000

/** The store of one agent under watch: which folders and files belong to it, and which of them have changed. */
export class WatchedStore {
  readonly agent: Agent
  readonly #io: Io
  readonly #folders: FolderWatch
  /** Folders that the adapter lists: a new name in one of them may be a new session. */
  #listed = new Set<string>()
  /** New folders inside those. */
  readonly #expected = new Set<string>()
  /** Files that appeared since the last scan, and earlier ones that turned out not to belong to any session. */
  readonly #appeared = new Set<string>()
  readonly #ignored = new Set<string>()
  /** Listed and expected folders, those of its files, and all above them, each with the watch that this store knows of. */
  #watched = new Map<string, number | undefined>()
  #sources = new Map<string, Source>()
  readonly #sourceOf = new Map<string, string>()
  readonly #seen = new Map<string, SeenFiles>()
  /** Paths of sources that may have changed since they were last ingested. */
  readonly changed = new Set<string>()
  /** Something was created or removed: only a scan of the whole store shows what. */
  needsRescan = true
  /** Called with folders that this store no longer watches; another store may still. */
  onUnwatch: (folders: readonly string[]) => void = () => {}

  constructor(agent: Agent, folders: FolderWatch, io: Io) {
    this.agent = agent
    this.#folders = folders
    this.#io = io
  }

  onFsEvent(path: string, kind: 'appeared' | 'changed'): void {
    const source = this.#sourceOf.get(path) ?? this.#sourceOf.get(path.replace(/-(?:wal|journal)$/, ''))
    if (source !== undefined) this.changed.add(source)
    else if (this.#watched.has(path)) this.needsRescan = true
    else if (kind === 'appeared' && this.#isListed(dirname(path))) this.#onAppeared(path)
  }

  /** Agents and editors replace files through temporary ones all the time, which is no reason for a scan. */
  #onAppeared(path: string): void {
    if (this.#ignored.has(path)) return
    const kind = kindOf(path)
    if (!kind) return
    this.needsRescan = true
    if (kind === 'folder') this.#expect(path)
    else this.#appeared.add(path)
  }

  #isListed(folder: string): boolean {
    return this.#listed.has(folder) || this.#expected.has(folder)
  }

  /** Some agents create a session's folder first and its files a moment later; until then no adapter lists it. */
  #expect(path: string): void {
    this.#expected.add(path)
    const [oldest] = this.#expected
    if (oldest !== undefined && this.#expected.size > MAX_EXPECTED) this.#expected.delete(oldest)
  }

  /** Folders inside new ones: whatever created those may have created these before they were watched. */
  #expectIn(folders: readonly string[]): void {
    for (const folder of folders) {
      for (const entry of listFolder(folder, readContext(this.#io))) {
        if (!isProblem(entry) && entry.isDirectory()) this.#expect(join(folder, entry.name))
      }
    }
  }

  /** Call it before ingesting: from now on the source has changed only when its files differ from what they are now. */
  noteSeen(path: string): void {
    const source = this.#sources.get(path)
    if (!source) return
    const seen = this.#seen.get(path) ?? new SeenFiles(this.#io)
    this.#seen.set(path, seen)
    seen.note(currentStamps(source))
  }

  /** Ingesting it failed. */
  forgetSeen(path: string): void {
    this.#seen.delete(path)
  }

  /** Whether a source that was reported as changed has really changed: reading a database may count as changing it. */
  stateOf(path: string): ReturnType<SeenFiles['compare']> {
    const source = this.#sources.get(path)
    return source ? (this.#seen.get(path)?.compare(currentStamps(source)) ?? 'changed') : 'changed'
  }

  /** The source as it is now; undefined when it is gone. */
  source(path: string): Source | undefined {
    const known = this.#sources.get(path)
    const files = known ? currentStamps(known) : []
    if (!files.some((file) => file.path === known?.files[0]?.path)) {
      // It may have moved, or consist of other files now.
      this.needsRescan = true
      return undefined
    }
    const source = { path, files }
    this.#sources.set(path, source)
    return source
  }

  /** Finds new and changed sources, and the folders to watch. */
  scan(): void {
    this.needsRescan = true
    for (let round = 0; round < MAX_ROUNDS && this.needsRescan; round++) this.needsRescan = this.#scanOnce()
    if (this.#ignored.size > MAX_IGNORED) this.#ignored.clear()
    for (const path of this.#appeared) if (!this.#sourceOf.has(path)) this.#ignored.add(path)
    this.#appeared.clear()
  }

  get hasUnwatchedFolders(): boolean {
    for (const folder of this.#folders.refused) if (this.#watched.has(folder)) return true
    return false
  }

  isWatching(folder: string): boolean {
    return this.#watched.has(folder)
  }

  /** True when it found folders that were not watched until now: more may have happened in them meanwhile. */
  #scanOnce(): boolean {
    const listed = new Set<string>()
    const before = this.#sources
    this.#sources = new Map()
    for (const source of this.agent.sources(readContext(this.#io, { onFolder: (path) => listed.add(path) }))) {
      if (isProblem(source)) continue
      this.#sources.set(source.path, source)
      if (!sameStamps(before.get(source.path)?.files ?? [], source.files)) this.changed.add(source.path)
    }
    this.#indexFiles()
    const known = this.#watched
    const watched = new Map<string, number | undefined>()
    for (const folder of [...listed, ...this.#expected, ...this.#fileFolders()]) {
      for (const one of withParents(folder, this.#io.home)) {
        if (watched.has(one)) break
        watched.set(one, undefined)
      }
    }
    const isFirst = known.size === 0
    this.#listed = listed
    this.#watched = watched
    this.onUnwatch([...known.keys()].filter((folder) => !watched.has(folder)))
    const fresh: string[] = []
    for (const folder of watched.keys()) {
      const watch = this.#folders.ensure(folder)
      watched.set(folder, watch)
      if (watch !== undefined && watch !== known.get(folder)) fresh.push(folder)
    }
    if (!isFirst) this.#expectIn(fresh.filter((folder) => listed.has(folder)))
    return fresh.length > 0
  }

  #indexFiles(): void {
    this.#sourceOf.clear()
    for (const { path, files } of this.#sources.values()) {
      this.#sourceOf.set(path, path)
      for (const file of files) this.#sourceOf.set(file.path, path)
    }
  }

  *#fileFolders(): Generator<string> {
    for (const file of this.#sourceOf.keys()) yield dirname(file)
  }
}

/** Undefined when it is gone again. */
function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return undefined
  }
}

/** Of the same files; a database may have gained or lost its WAL. */
function currentStamps({ path, files }: Source): FileStamp[] {
  const names = new Set(files.map((file) => file.path))
  if (!path.endsWith('.jsonl') && !path.endsWith('.json')) names.add(`${path}-wal`)
  return [...names].flatMap((name) => stampOf(name) ?? [])
}
