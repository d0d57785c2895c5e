import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMissing, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { errnoOf } from '../../platform/write-hint.ts'
import {
  checkKey,
  checkPrefix,
  conflict,
  isConflict,
  type ListedObject,
  type ObjectStore,
  type PutCondition,
  type StoredObject,
  StoreError,
} from './object-store.ts'

/** No key contains it, so an object is never mistaken for a folder. */
const OBJECT = '~'
/** For what is not an object yet, or no longer. */
const WORKPLACE = '~tmp'
/** Leftovers of crashed writers are removed after this time by the file system's clock. */
const LEFTOVER_MS = 60 * 60_000
/** How long the file system's clock is known after it was asked. */
const CLOCK_MS = 5000
/** A mount whose server is gone lets everybody wait for ever. */
const DEADLINE_MS = 60_000
/** The slowest mount that is waited for. */
const BYTES_PER_MS = 32
/** Each further attempt means that another process was faster, so many are never needed. */
const MAX_ATTEMPTS = 1000

/**
 * Objects in a folder, which may be mounted from another machine. It needs no locks and no hard links, only that renaming is atomic:
 *
 * The object `a/b` is the folder `a/b~`. It appears by renaming a finished folder, which fails if one is there, and is
 * removed by renaming it away. Inside, the name of one file is the tag of the current version, `<number>-<random>`. The first
 * version is in that file; a later one is in a second file, `<tag>.data`. A conditional put writes this second file and then
 * renames the first from the old tag to the new: of many processes only one can, since the old name is gone then. A crash leaves
 * the old version and a file that does not count.
 */
export class FolderStore implements ObjectStore {
  readonly address: string
  readonly usage = { requests: 0, bytesSent: 0, bytesReceived: 0 }
  readonly #root: string
  readonly #io: Io
  readonly #deadlineMs: number
  #clock: { readonly offsetMs: number; readonly readAt: number } | undefined
  #isCleaned = false

  constructor(root: string, io: Io, deadlineMs = DEADLINE_MS) {
    this.#root = root
    this.#io = io
    this.#deadlineMs = deadlineMs
    this.address = pathToFileURL(root).href
  }

  get(key: string): Promise<StoredObject | undefined> {
    checkKey(key)
    return this.#operation('read', async () => {
      const found = await this.#read(key)
      if (!found) return undefined
      const { tag, bytes, modifiedMs } = found
      this.usage.bytesReceived += bytes.length
      return { bytes, tag, ageMs: await this.#age(modifiedMs) }
    })
  }

  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string> {
    checkKey(key)
    this.usage.bytesSent += bytes.length
    return this.#operation('write to', () => this.#put(key, bytes, condition), bytes.length)
  }

  async *list(prefix: string, after = ''): AsyncIterable<ListedObject> {
    checkPrefix(prefix)
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const walk = this.#walk(folder, prefix, after)
    for (;;) {
      const { value } = await this.#operation('list', () => walk.next())
      if (!value) return
      yield value
    }
  }

  folders(prefix: string): Promise<string[]> {
    checkPrefix(prefix)
    return this.#operation('list', async () => {
      const names: string[] = []
      for (const name of (await this.#names(prefix)).sort()) {
        // One without objects was left behind by a crash.
        if (!name.includes(OBJECT) && (await this.#hasObjects(`${prefix}${name}/`))) names.push(name)
      }
      return names
    })
  }

  remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkKey(key)
    return this.#operation('write to', async () => {
      for (const key of keys) await this.#remove(key)
    })
  }

  // Versions of one object

  async #put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<string> {
    await this.#removeLeftovers()
    if (condition) return 'tag' in condition ? this.#replace(key, bytes, condition.tag) : this.#create(key, bytes)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await this.#current(key)
      try {
        return await (current ? this.#replace(key, bytes, current) : this.#create(key, bytes))
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
    throw this.#busy(key)
  }

  /** The tag of the current version. */
  async #current(key: string): Promise<string | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const names = await namesIn(this.#object(key))
      if (names === undefined) return undefined
      // While it is being renamed, a list of names may contain both or neither.
      const tags = names.filter(isTag).sort((a, b) => numberOf(b) - numberOf(a))
      if (tags[0] !== undefined) return tags[0]
    }
    throw new StoreError('failed', `${this.#object(key)} is damaged: no version of it is the current one`, {
      hint: `if nothing writes there: rm -r ${this.#object(key)}`,
    })
  }

  async #read(key: string): Promise<{ tag: string; bytes: Buffer; modifiedMs: number } | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const tag = await this.#current(key)
      if (tag === undefined) return undefined
      try {
        const file = await open(this.#content(key, tag), 'r')
        try {
          return { tag, modifiedMs: (await file.stat()).mtimeMs, bytes: await file.readFile() }
        } finally {
          await file.close()
        }
      } catch (error) {
        // Replaced since its name was read.
        if (!isMissing(error)) throw error
      }
    }
    throw this.#busy(key)
  }

  async #create(key: string, bytes: Uint8Array): Promise<string> {
    const target = this.#object(key)
    if (await exists(target)) throw conflict(this.address, key)
    const tag = newTag(1)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const prepared = await this.#workplace()
      try {
        await writeDurably(join(prepared, tag), bytes)
        await syncFolder(prepared)
        await this.#makeFolder(dirname(target))
        await rename(prepared, target)
      } catch (error) {
        // On a network the answer to a rename may be lost, and its repetition fails.
        if (!(await exists(join(target, tag)))) {
          await rm(prepared, { recursive: true, force: true })
          if (await exists(target)) throw conflict(this.address, key)
          if (!isMissing(error)) throw error
          // Its folder was removed in between because it was empty.
          continue
        }
      }
      await syncFolder(dirname(target))
      return tag
    }
    throw this.#busy(key)
  }

  async #replace(key: string, bytes: Uint8Array, tag: string): Promise<string> {
    const folder = this.#object(key)
    if (!isTag(tag) || (await this.#current(key)) !== tag) throw await this.#lost(key)
    const next = newTag(numberOf(tag) + 1)
    const content = this.#content(key, next)
    try {
      await writeDurably(content, bytes)
      await syncFolder(folder)
      await rename(join(folder, tag), join(folder, next))
    } catch (error) {
      if (!(await exists(join(folder, next)))) {
        await unlink(content).catch(() => {})
        throw isMissing(error) ? await this.#lost(key) : error
      }
    }
    await syncFolder(folder)
    await this.#removeOlder(folder, next)
    return next
  }

  /** Another was faster, unless everything is gone. */
  async #lost(key: string): Promise<StoreError> {
    await this.#requireRoot()
    return conflict(this.address, key)
  }

  /** Contents of versions up to this one but not of it: those before it, and those that lost against it. */
  async #removeOlder(folder: string, tag: string): Promise<void> {
    for (const name of (await namesIn(folder)) ?? []) {
      const [other = '', isContent] = name.split('.data')
      if (isContent === undefined || other === tag || numberOf(other) > numberOf(tag)) continue
      await unlink(join(folder, name)).catch(() => {})
    }
  }

  async #remove(key: string): Promise<void> {
    const folder = this.#object(key)
    if (!(await exists(folder))) return
    const removed = await this.#workplace()
    try {
      await rename(folder, join(removed, 'removed'))
      await syncFolder(dirname(folder))
    } catch (error) {
      if (!isMissing(error)) throw error
    } finally {
      await rm(removed, { recursive: true, force: true })
    }
    // A folder without objects does not exist in S3 either.
    for (let parent = dirname(key); parent !== '.'; parent = dirname(parent)) {
      const isGone = await rmdir(join(this.#root, parent)).then(
        () => true,
        () => false,
      )
      if (!isGone) break
    }
  }

  #object(key: string): string {
    return join(this.#root, `${key}${OBJECT}`)
  }

  #content(key: string, tag: string): string {
    return join(this.#object(key), numberOf(tag) === 1 ? tag : `${tag}.data`)
  }

  // Many objects

  /** In the order of complete keys: a folder comes where its name with a slash comes. */
  async *#walk(folder: string, prefix: string, after: string): AsyncGenerator<ListedObject, undefined> {
    const names = await this.#names(folder)
    const paths = names.flatMap((name) => {
      if (name === WORKPLACE) return []
      return [`${folder}${name.endsWith(OBJECT) ? name.slice(0, -OBJECT.length) : `${name}/`}`]
    })
    for (const path of paths.sort()) {
      if (path.endsWith('/')) {
        const mayMatch = path.startsWith(prefix) || prefix.startsWith(path)
        if (mayMatch && (after < path || after.startsWith(path))) yield* this.#walk(path, prefix, after)
        continue
      }
      if (!path.startsWith(prefix) || path <= after) continue
      const found = await this.#stat(path)
      if (found) yield { key: path, size: found.size, ageMs: await this.#age(found.modifiedMs) }
    }
  }

  async #stat(key: string): Promise<{ size: number; modifiedMs: number } | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const tag = await this.#current(key)
      if (tag === undefined) return undefined
      try {
        const { size, mtimeMs } = await stat(this.#content(key, tag))
        return { size, modifiedMs: mtimeMs }
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    throw this.#busy(key)
  }

  async #hasObjects(folder: string): Promise<boolean> {
    const names = await this.#names(folder)
    if (names.some((name) => name.endsWith(OBJECT))) return true
    for (const name of names) if (await this.#hasObjects(`${folder}${name}/`)) return true
    return false
  }

  /** Names of objects and folders. Files are not Ion's: whoever looks at a share leaves some. */
  async #names(folder: string): Promise<string[]> {
    try {
      const entries = await readdir(join(this.#root, folder), { withFileTypes: true })
      return entries.flatMap((entry) => (entry.isDirectory() && isName(entry.name) ? [entry.name] : []))
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#requireRoot()
      return []
    }
  }

  // The folder itself

  /** A new folder to prepare something in. */
  async #workplace(): Promise<string> {
    const folder = join(this.#root, WORKPLACE, random())
    await this.#makeFolder(dirname(folder))
    await mkdir(folder, { mode: 0o700 })
    return folder
  }

  /** Creates a folder below the root and its parents, never the root: what is not mounted must not seem to be. */
  async #makeFolder(path: string): Promise<void> {
    if (path === this.#root || (await exists(path))) return
    await this.#requireRoot()
    const parent = dirname(path)
    await this.#makeFolder(parent)
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncFolder(parent)
  }

  async #requireRoot(): Promise<void> {
    const isFolder = await stat(this.#root).then(
      (found) => found.isDirectory(),
      (error: unknown) => {
        if (!isMissing(error)) throw error
        return undefined
      },
    )
    if (isFolder) return
    if (isFolder === false) throw new StoreError('missing', `${this.#root} is not a folder`, { hint: 'name a folder' })
    throw new StoreError('missing', `the folder ${this.#root} does not exist, or is not mounted`, {
      hint: `mount it, or create it: mkdir -p ${this.#root}`,
    })
  }

  async #removeLeftovers(): Promise<void> {
    if (this.#isCleaned) return
    this.#isCleaned = true
    const workplace = join(this.#root, WORKPLACE)
    for (const name of (await namesIn(workplace)) ?? []) {
      const path = join(workplace, name)
      const found = await stat(path).catch(() => undefined)
      if (!found || (await this.#age(found.mtimeMs)) <= LEFTOVER_MS) continue
      // Renamed first: its writer may only have been suspended, and must not publish what is half removed.
      const removed = join(workplace, random())
      await rename(path, removed).catch(() => {})
      await rm(removed, { recursive: true, force: true })
    }
  }

  /** How long ago that was by the clock that gives files their times, which may be another machine's. */
  async #age(modifiedMs: number): Promise<number> {
    const isKnown = this.#clock && Math.abs(this.#io.now().getTime() - this.#clock.readAt) <= CLOCK_MS
    // Wrong by what the clock here was set since, so it is asked again soon.
    if (!this.#clock || !isKnown) {
      const time = await this.#fileSystemTime()
      // Ours is read later, so that no object seems older than it is.
      const readAt = this.#io.now().getTime()
      this.#clock = { offsetMs: time - readAt, readAt }
    }
    return Math.max(0, this.#io.now().getTime() + this.#clock.offsetMs - modifiedMs)
  }

  /** Our own time where nothing can be written. */
  async #fileSystemTime(): Promise<number> {
    const folder = await this.#workplace().catch(() => undefined)
    if (folder === undefined) return this.#io.now().getTime()
    try {
      return (await stat(folder)).mtimeMs
    } finally {
      await rmdir(folder).catch(() => {})
    }
  }

  /** `bytes`: how many it moves, which takes its time. What takes too long is not waited for, but may still happen. */
  async #operation<T>(what: string, work: () => Promise<T>, bytes = 0): Promise<T> {
    this.usage.requests++
    const deadlineMs = this.#deadlineMs + Math.ceil(bytes / BYTES_PER_MS)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#late(what, deadlineMs)), deadlineMs)
    })
    const done = async (): Promise<T> => {
      const result = await work()
      if (result === undefined) await this.#requireRoot()
      return result
    }
    try {
      return await Promise.race([done(), late])
    } catch (error) {
      throw error instanceof StoreError ? error : this.#error(what, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #late(what: string, deadlineMs: number): StoreError {
    const seconds = Math.round(deadlineMs / 1000)
    return new StoreError('slow', `cannot ${what} ${this.#root}: no answer within ${seconds} s`, {
      isTemporary: true,
      hint: `check that the machine it is mounted from can be reached: ls ${this.#root}`,
    })
  }

  #busy(key: string): StoreError {
    return new StoreError('slow', `${key} in ${this.address} is changed by others all the time`, { isTemporary: true })
  }

  #error(what: string, error: unknown): StoreError {
    const root = this.#root
    const cannot = `cannot ${what} ${root}`
    switch (errnoOf(error)) {
      case 'ENOSPC':
      case 'EDQUOT':
        return new StoreError('full', `${cannot}: the disk or its quota is full`, {
          cause: error,
          hint: `free disk space on the disk of ${root}`,
        })
      case 'EROFS':
        return new StoreError('denied', `${cannot}: it is mounted read-only`, {
          cause: error,
          hint: `mount it for writing: mount -o remount,rw ${root}`,
        })
      case 'EACCES':
      case 'EPERM':
        return new StoreError('denied', `${cannot}: permission denied`, {
          cause: error,
          hint: `check the permissions of ${root}`,
        })
      case 'EIO':
      case 'ESTALE':
      case 'ENOTCONN':
      case 'ETIMEDOUT':
      case 'EHOSTDOWN':
      case 'EHOSTUNREACH':
        return new StoreError('unreachable', `${cannot}: ${messageOf(error)}`, {
          isTemporary: true,
          cause: error,
          hint: `check that it is mounted: ls ${root}`,
        })
      default:
        return new StoreError('failed', `${cannot}: ${messageOf(error)}`, { cause: error, hint: `ls -la ${root}` })
    }
  }
}

function newTag(number: number): string {
  return `${number}-${random()}`
}

function isTag(name: string): boolean {
  return /^[1-9]\d{0,14}-[0-9a-f]{16}$/.test(name)
}

function numberOf(tag: string): number {
  return Number.parseInt(tag, 10)
}

function isName(name: string): boolean {
  return /^[a-z0-9._-]+~?$/.test(name)
}

function random(): string {
  return randomBytes(8).toString('hex')
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Undefined when there is no such folder. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await withFile(path, 'wx', async (file) => {
    await file.writeFile(bytes)
    await file.sync()
  })
}

/** What file systems answer that cannot sync a folder, as some network mounts. */
const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF', 'EISDIR', 'ENOSYS']

/** When this returns, names in the folder are on the disk. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await withFile(path, 'r', async (folder) => {
    await folder.sync().catch((error: NodeJS.ErrnoException) => {
      if (!NO_SYNC.includes(error.code ?? '')) throw error
    })
  })
}

async function withFile(path: string, flags: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await use(file)
  } finally {
    await file.close()
  }
}
