import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { filesIn } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { parentOf } from './list.ts'
import { sessionsFolder } from './paths.ts'
import { sessionMeta } from './records.ts'
import { firstRecords, isCompressed, parseName } from './rollout-file.ts'

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
export function* subAgentsOf(head: SessionHead, reading: ReadContext): Generator<string> {
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

const DAY = 86_400_000

/** Its own folder, and those of the days from its first to its last; by local date, so one more. */
function foldersOf(head: SessionHead, { io }: ReadContext): Set<string> {
  const folders = new Set([dirname(head.path)])
  const first = Date.parse(/^rollout-(\d{4}-\d\d-\d\d)T/.exec(basename(head.path))?.[1] ?? '')
  const last = Date.parse(head.updated_at ?? '') + DAY
  for (let day = first; day <= last; day += DAY) {
    const date = toIso(day)
    if (date) folders.add(join(sessionsFolder(io), date.slice(0, 4), date.slice(5, 7), date.slice(8, 10)))
  }
  return folders
}

interface Looked {
  readonly mtimeMs: number
  /** Every rollout that was read; the first line of a file never changes. */
  readonly seen: ReadonlyMap<string, SubAgent | undefined>
}

/** All sessions of a day need the same folder. */
const folders = new Map<string, Looked>()

/** A folder that has just changed may change again within the same mtime. */
const SETTLED_MS = 2000

function* subAgentsIn(folder: string, reading: ReadContext): Generator<SubAgent> {
  const mtimeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (mtimeMs === undefined) return
  let known = folders.get(folder)
  if (known?.mtimeMs !== mtimeMs || Date.now() - mtimeMs < SETTLED_MS) {
    const seen = new Map<string, SubAgent | undefined>()
    let isWhole = true
    for (const name of filesIn(folder, /^rollout-.*\.jsonl(\.zst)?$/, reading)) {
      if (typeof name !== 'string') continue
      const found = known?.seen.has(name) ? known.seen.get(name) : subAgentAt(join(folder, name), reading)
      if (found === 'unfinished') isWhole = false
      else seen.set(name, found)
    }
    known = { mtimeMs: isWhole ? mtimeMs : 0, seen }
    folders.set(folder, known)
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
    const parent = own && parentOf(sessionMeta(firstRecords(path, 0, () => true, reading)[0]), own)
    return own && parent ? { path, own, parent } : undefined
  } catch {
    // Reading that session will report it.
    return undefined
  }
}
