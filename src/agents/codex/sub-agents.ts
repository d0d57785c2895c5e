import { basename, dirname, join } from 'node:path'
import type { SessionHead } from '../../events/session.ts'
import type { Reading } from '../../native/reading.ts'
import { toIso } from '../../native/time.ts'
import { stampsIn } from '../../native/walk.ts'
import { parentOf } from './list.ts'
import { sessionsFolder } from './paths.ts'
import { sessionMeta } from './records.ts'
import { firstRecords, parseName } from './rollout-file.ts'

/**
 * The rollouts of a session's sub-agents, and of theirs. No file names them all, so the first lines of those begun while
 * the session was in use are looked at.
 */
export function* subAgentsOf(head: SessionHead, reading: Reading): Generator<string> {
  const family = new Set([head.native_id])
  for (const folder of foldersOf(head, reading)) {
    for (const stamp of stampsIn(folder, /^rollout-.*\.jsonl(\.zst)?$/, reading)) {
      // They are named by their times: no child is before its parent.
      if ('problem' in stamp || basename(stamp.path) <= basename(head.path)) continue
      const own = parseName(basename(stamp.path))?.rollout
      const parent = own && starterOf(stamp.path, stamp.ino, own, reading)
      if (!own || !parent || !family.has(parent)) continue
      family.add(own)
      yield stamp.path
    }
  }
}

const DAY = 86_400_000

/** Its own, and those of the days from its first to its last; they are by local date, so one more. */
function foldersOf(head: SessionHead, { io }: Reading): Set<string> {
  const folders = new Set([dirname(head.path)])
  const first = Date.parse(/^rollout-(\d{4}-\d\d-\d\d)T/.exec(basename(head.path))?.[1] ?? '')
  const last = Date.parse(head.updated_at ?? '') + DAY
  for (let day = first; day <= last; day += DAY) {
    const date = toIso(day)
    if (date) folders.add(join(sessionsFolder(io), date.slice(0, 4), date.slice(5, 7), date.slice(8, 10)))
  }
  return folders
}

/** The first line of a file never changes, and every session of those days asks. */
const starters = new Map<string, { readonly ino: number; readonly parent: string | undefined }>()

function starterOf(path: string, ino: number, own: string, reading: Reading): string | undefined {
  let known = starters.get(path)
  if (known?.ino !== ino) {
    known = { ino, parent: readStarter(path, own, reading) }
    starters.set(path, known)
  }
  return known.parent
}

function readStarter(path: string, own: string, reading: Reading): string | undefined {
  try {
    return parentOf(sessionMeta(firstRecords(path, 0, () => true, reading)[0]), own)
  } catch {
    // Reading that session will tell.
    return undefined
  }
}
