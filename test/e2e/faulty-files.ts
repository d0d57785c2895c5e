import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** The operations that change the disk, and fail where nothing can be changed. */
const CHANGES = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'fsyncSync',
  'fdatasyncSync',
  'ftruncateSync',
  'chmodSync',
  'utimesSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmdirSync',
  'rmSync',
  'mkdirSync',
  'mkdtempSync',
  'copyFileSync',
] as const
/** Of these, the ones that need space. */
const NEED_ROOM: ReadonlySet<string> = new Set([
  'openSync',
  'writeSync',
  'writeFileSync',
  'renameSync',
  'linkSync',
  'mkdirSync',
  'mkdtempSync',
  'copyFileSync',
])

export interface Fault {
  readonly code: 'ENOSPC' | 'EROFS' | 'EACCES'
  /** The operation that fails first, from 1; Infinity for none. */
  readonly at: number
}

export interface Tried {
  /** How many operations there were. */
  readonly operations: number
  readonly error: unknown
}

/** Runs `body` while the file system fails: a full or read-only disk stays so, a permission is denied once. */
export function tryWith({ code, at }: Fault, act: () => unknown): Tried {
  let operations = 0
  const before = (name: string, args: readonly unknown[]): void => {
    const [, flags] = args
    const isPlain = flags === undefined || flags === 'r' || (typeof flags === 'number' && (flags & 3) === 0)
    const isReading = name === 'openSync' && isPlain
    if (isReading || (code === 'ENOSPC' && !NEED_ROOM.has(name))) return
    operations++
    if (code === 'EACCES' ? operations === at : operations >= at) {
      throw Object.assign(new Error(`${code}: made by the test, ${name}`), { code })
    }
  }
  let error: unknown
  withChanged(CHANGES, before, () => {
    try {
      act()
    } catch (thrown) {
      error = thrown
    }
  })
  return { operations, error }
}

/** Calls `meanwhile` before the n-th read of a file; returns how many reads there were. */
export function whileReading(at: number, meanwhile: () => void, act: () => unknown): number {
  let reads = 0
  withChanged(
    ['readSync'],
    () => {
      if (++reads === at) meanwhile()
    },
    act,
  )
  return reads
}

type Name = (typeof CHANGES)[number] | 'readSync'

function withChanged(
  names: readonly Name[],
  before: (name: Name, args: readonly unknown[]) => void,
  act: () => void,
): void {
  const real = names.map((name) => [name, fs[name]] as const)
  const change = (name: Name, value: unknown): void => {
    Object.defineProperty(fs, name, { value, configurable: true, enumerable: true, writable: true })
  }
  for (const [name, call] of real) {
    change(name, (...args: unknown[]) => {
      before(name, args)
      return Reflect.apply(call, fs, args)
    })
  }
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    for (const [name, call] of real) change(name, call)
    syncBuiltinESMExports()
  }
}
