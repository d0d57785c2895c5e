import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent, Source } from '../../agents/agent.ts'
import { isProblem } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import { type FileStamp, listFolder, stampOf } from '../../native/walk.ts'
import type { Io } from '../../platform/io.ts'
import { type WatchedFolders, withParents } from './watch-folders.ts'

/** Looked through so often at most for one change: each time because a folder was found that nobody had listened to. */
const ROUNDS = 5

/** The times of files go in steps; two writes within this time may have the same. */
export const CLOCK_MS = 50

/** New folders that it listens to in case there will be a session in them; the oldest are given up. */
const EXPECTED = 64
const PASSED_BY = 1000

/** The store of one agent under watch: which folders and files belong to it, and what of them has changed. */
export class WatchedStore {
  readonly agent: Agent
  readonly #io: Io
  readonly #folders: WatchedFolders
  /** Those that the adapter lists, where a new name may be a new session. */
  #listed = new Set<string>()
  /** Files that have come in those since the last look, and those of before that a look has shown to be nothing. */
  readonly #new = new Set<string>()
  readonly #passedBy = new Set<string>()
  /** New folders in those. */
  readonly #expected = new Set<string>()
  /** Those, the folders of its files, and all above them, with the watch that this store was told of. */
  #around = new Map<string, number | undefined>()
  #sources = new Map<string, Source>()
  readonly #sourceOf = new Map<string, string>()
  readonly #taken = new Map<string, { readonly files: readonly FileStamp[]; readonly at: number }>()
  /** Sources that are not as they were when they were last asked for. */
  readonly changed = new Set<string>()
  /** Something came or went: only a look through the whole store tells what. */
  isStale = true

  constructor(agent: Agent, folders: WatchedFolders, io: Io) {
    this.agent = agent
    this.#folders = folders
    this.#io = io
  }

  /** Takes note of what a folder has told. */
  heard(path: string, kind: 'appeared' | 'changed'): void {
    const source = this.#sourceOf.get(path) ?? this.#sourceOf.get(path.replace(/-(?:wal|journal)$/, ''))
    if (source !== undefined) this.changed.add(source)
    else if (this.#around.has(path)) this.isStale = true
    else if (kind === 'appeared' && this.#isListed(dirname(path))) this.#heardOfNew(path)
  }

  /** Agents and editors put files in place by a temporary one, all the time: those are no reason to look through it all. */
  #heardOfNew(path: string): void {
    if (this.#passedBy.has(path)) return
    const kind = kindOf(path)
    if (!kind) return
    this.isStale = true
    if (kind === 'folder') this.#expect(path)
    else this.#new.add(path)
  }

  #isListed(folder: string): boolean {
    return this.#listed.has(folder) || this.#expected.has(folder)
  }

  /** Some agents make a folder for a session first, and its files a moment later; until then no adapter tells of it. */
  #expect(path: string): void {
    this.#expected.add(path)
    const [oldest] = this.#expected
    if (oldest !== undefined && this.#expected.size > EXPECTED) this.#expected.delete(oldest)
  }

  /** The folders in those that have just come themselves: whatever made them may have made these in the same moment. */
  #expectIn(folders: readonly string[]): void {
    for (const folder of folders) {
      for (const entry of listFolder(folder, readContext(this.#io))) {
        if (!isProblem(entry) && entry.isDirectory()) this.#expect(join(folder, entry.name))
      }
    }
  }

  /** From now on it counts as changed only when its files are not as they are now. */
  noteTaken(path: string): void {
    const known = this.#sources.get(path)
    if (known) this.#taken.set(path, { files: stampsNow(known), at: Date.now() })
  }

  /** It could not be taken. */
  forgetTaken(path: string): void {
    this.#taken.delete(path)
  }

  /**
   * Whether there is something to take in what was told to have changed: reading a database may count as changing it.
   * `unsure` is what was written so shortly before it was taken that one more write might leave the same time.
   */
  stateOf(path: string): 'same' | 'changed' | 'unsure' {
    const [known, taken] = [this.#sources.get(path), this.#taken.get(path)]
    if (!known || !taken || !areSame(taken.files, stampsNow(known))) return 'changed'
    if (taken.files.every((file) => file.mtimeMs < taken.at - CLOCK_MS)) return 'same'
    return Date.now() - taken.at > CLOCK_MS ? 'changed' : 'unsure'
  }

  /** The source as it is now; undefined when it is gone. */
  source(path: string): Source | undefined {
    const known = this.#sources.get(path)
    const files = known ? stampsNow(known) : []
    if (!files.some((file) => file.path === known?.files[0]?.path)) {
      // Gone, or its parts are others now.
      this.isStale = true
      return undefined
    }
    const source = { path, files }
    this.#sources.set(path, source)
    return source
  }

  /** Looks through the store: what is new or was changed, and which folders to listen to. */
  look(): void {
    // Whoever makes folders faster than that is looked at again.
    this.isStale = true
    for (let round = 0; round < ROUNDS && this.isStale; round++) this.isStale = this.#lookOnce()
    if (this.#passedBy.size > PASSED_BY) this.#passedBy.clear()
    for (const path of this.#new) if (!this.#sourceOf.has(path)) this.#passedBy.add(path)
    this.#new.clear()
  }

  /** True for any of its folders that the system would not watch. */
  get isDeaf(): boolean {
    if (this.#folders.refused.size === 0) return false
    for (const folder of this.#folders.refused) if (this.#around.has(folder)) return true
    return false
  }

  wants(folder: string): boolean {
    return this.#around.has(folder)
  }

  /** True when it found folders that were not watched until now: then more may have happened in them. */
  #lookOnce(): boolean {
    const listed = new Set<string>()
    const before = this.#sources
    this.#sources = new Map()
    for (const source of this.agent.sources(readContext(this.#io, (path) => listed.add(path)))) {
      if (isProblem(source)) continue
      this.#sources.set(source.path, source)
      if (!areSame(before.get(source.path)?.files ?? [], source.files)) this.changed.add(source.path)
    }
    this.#noteFiles()
    const known = this.#around
    const around = new Map<string, number | undefined>()
    for (const folder of [...listed, ...this.#expected, ...this.#fileFolders()]) {
      for (const one of withParents(folder, this.#io.home)) {
        if (around.has(one)) break
        around.set(one, undefined)
      }
    }
    const isFirst = known.size === 0
    this.#listed = listed
    this.#around = around
    this.onLeft([...known.keys()].filter((folder) => !around.has(folder)))
    const fresh: string[] = []
    for (const folder of around.keys()) {
      const watch = this.#folders.ensure(folder)
      around.set(folder, watch)
      if (watch !== undefined && watch !== known.get(folder)) fresh.push(folder)
    }
    if (!isFirst) this.#expectIn(fresh.filter((folder) => listed.has(folder)))
    return fresh.length > 0
  }

  /** Told of folders that do not matter to it any more; they may to another. */
  onLeft: (folders: readonly string[]) => void = () => {}

  #noteFiles(): void {
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

/** Undefined for what is gone again. */
function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return undefined
  }
}

/** Of the same files; a database may have got or lost its WAL. */
function stampsNow({ path, files }: Source): FileStamp[] {
  const wal = `${path}-wal`
  const names = new Set(files.map((file) => file.path))
  if (!path.endsWith('.jsonl') && !path.endsWith('.json')) names.add(wal)
  return [...names].flatMap((name) => stampOf(name) ?? [])
}

function areSame(before: readonly FileStamp[], now: readonly FileStamp[]): boolean {
  if (before.length !== now.length) return false
  return now.every((file, at) => {
    const { path, dev, ino, size, mtimeMs } = before[at]!
    return file.path === path && file.dev === dev && file.ino === ino && file.size === size && file.mtimeMs === mtimeMs
  })
}
