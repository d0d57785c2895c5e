import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { filesIn } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { ancestors } from './lineage.ts'
import { parentOf } from './list.ts'
import { sessionNames } from './names.ts'
import { codexRoot, DAY_MS, dayFolder, namesFile } from './paths.ts'
import { isCompressed, parseName, ROLLOUT, readMeta } from './rollout-file.ts'

/** The rollout, those that a fork begins with, and those of sub-agents. Codex rebuilds its databases from them. */
export const backup: BackupSpec = {
  roots: (io) => ({ codex: codexRoot(io) }),
  files: {
    codex: [
      new RegExp(`^sessions/(?:[^/]+/){0,6}${ROLLOUT}$`, 'i'),
      new RegExp(`^archived_sessions/${ROLLOUT}$`, 'i'),
      /^session_index\.jsonl$/,
    ],
  },
  mayBeLinks: ['sessions', 'archived_sessions'],
  parts,
  rewrite: { fields: ['cwd', 'runtime_workspace_roots', 'workspace_roots', 'writable_roots'] },
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart> {
  const file = (path: string): FilePart => ({
    kind: 'file',
    root: 'codex',
    path: pathBelow(codexRoot(reading.io), path),
    form: isCompressed(path) ? 'whole' : 'lines',
  })
  yield file(head.path)
  // A compressed file may be beside a plain one: older, but used when the plain one is missing.
  if (!isCompressed(head.path)) yield file(`${head.path}.zst`)
  if (head.parent_session) return
  for (const path of subAgentsOf(head, reading)) yield file(path)
  // A fork cannot be resumed without the files it begins with; they are other sessions.
  for (const { path } of ancestors(head.path, reading).line) yield { ...file(path), shared: true }
  if (sessionNames(reading).byId.has(head.native_id)) yield { ...file(namesFile(reading.io)), shared: true }
}

/** The rollout of a sub-agent. */
interface SubAgent {
  readonly path: string
  readonly own: string
  readonly parent: string
}

/**
 * The rollouts of a session's sub-agents, and of theirs. No file lists them, so they are searched among those started while
 * the session was in use.
 */
function* subAgentsOf(head: SessionHead, reading: ReadContext): Generator<string> {
  const family = new Set([head.native_id])
  for (const folder of foldersOf(head, reading)) {
    // Sorted by time: no child precedes its parent.
    for (const { path, own, parent } of subAgentsIn(folder, reading)) {
      if (!family.has(parent)) continue
      family.add(own)
      yield path
    }
  }
}

/** Its own folder, and those of the days from its first to its last; by local date, so one more. */
function foldersOf(head: SessionHead, { io }: ReadContext): Set<string> {
  const folders = new Set([dirname(head.path)])
  const first = Date.parse(/^rollout-(\d{4}-\d\d-\d\d)T/.exec(basename(head.path))?.[1] ?? '')
  const last = Date.parse(head.updated_at ?? '') + DAY_MS
  for (let day = first; day <= last; day += DAY_MS) folders.add(dayFolder(day, io) ?? dirname(head.path))
  return folders
}

interface KnownFolder {
  readonly mtimeMs: number
  /** Every rollout that was read; the first line of a file never changes. */
  readonly seen: ReadonlyMap<string, SubAgent | undefined>
}

/** All sessions of a day need the same folder. */
const knownFolders = new Map<string, KnownFolder>()

/** A folder that has just changed may change again within the same mtime. */
const SETTLED_MS = 2000

function* subAgentsIn(folder: string, reading: ReadContext): Generator<SubAgent> {
  const mtimeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (mtimeMs === undefined) return
  let known = knownFolders.get(folder)
  if (known?.mtimeMs !== mtimeMs || Date.now() - mtimeMs < SETTLED_MS) {
    const seen = new Map<string, SubAgent | undefined>()
    let isComplete = true
    for (const name of filesIn(folder, /^rollout-.*\.jsonl(\.zst)?$/, reading)) {
      if (typeof name !== 'string') continue
      const found = known?.seen.has(name) ? known.seen.get(name) : subAgentAt(join(folder, name), reading)
      if (found === 'unfinished') isComplete = false
      else seen.set(name, found)
    }
    known = { mtimeMs: isComplete ? mtimeMs : 0, seen }
    knownFolders.set(folder, known)
  }
  for (const found of known.seen.values()) if (found) yield found
}

/** The first fields of a rollout, before the instructions. */
const START = 8 * 1024

/** `unfinished` when its first line is still being written. */
function subAgentAt(path: string, reading: ReadContext): SubAgent | 'unfinished' | undefined {
  try {
    if (!isCompressed(path)) {
      const start = readHead(path, START, reading)
      if (start.length < START && !start.includes('\n')) return 'unfinished'
      if (!start.includes('"subagent"')) return undefined
    }
    const own = parseName(basename(path))?.rollout
    const parent = own && parentOf(readMeta(path, reading), own)
    return own && parent ? { path, own, parent } : undefined
  } catch {
    // Reading that session will report it.
    return undefined
  }
}
