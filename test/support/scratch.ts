import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io } from '../../src/platform/io.ts'

/** An empty folder that is removed when the test ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ion-scratch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An Io whose home is a copy of `fixture` (or empty), with only the given variables set. */
export function scratchIo(fixture?: string, env: Record<string, string> = {}): Io {
  const root = scratchFolder()
  const home = join(root, 'home')
  mkdirSync(home)
  if (fixture) copyTree(fixture, home)
  return {
    env: { HOME: home, ION_HOME: join(root, 'ion'), PATH: '', ...env },
    home,
    cwd: home,
    platform: 'linux',
    now: () => new Date('2026-11-16T00:00:00Z'),
  }
}

/** Copies with modification times; files of a read-only checkout become writable. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true })
  for (const file of filesBelow(to)) chmodSync(file, 0o600)
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/**
 * Every file below a folder with its content's hash and its time. Not `-shm`: that is the shared memory in which
 * SQLite keeps its locks, and taking a read lock writes there.
 */
export function treeState(folder: string): Record<string, string> {
  const state: Record<string, string> = {}
  for (const file of filesBelow(folder)) {
    if (file.endsWith('-shm')) continue
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
    state[relative(folder, file)] = `${hash} ${statSync(file).mtimeMs}`
  }
  return state
}
