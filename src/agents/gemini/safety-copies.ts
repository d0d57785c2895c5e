import { basename, dirname, join } from 'node:path'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { filesIn, stampOf } from '../../native/walk.ts'
import type { SafetyCopy, StartRequest } from '../start.ts'
import { describeFile } from './describe.ts'
import { filesOfSession } from './groups.ts'
import { heads, sources } from './list.ts'
import { projectsOf } from './projects.ts'
import { linesAgainstRepeatedResults } from './repeated-results.ts'

/** Before a start: a copy of the session that is resumed, and moves away what would make this start delete others. */
export function* filesToBackUp(
  kind: 'cold' | 'warm',
  request: StartRequest,
  reading: ReadContext,
): Generator<SafetyCopy> {
  for (const head of sessionsOf(request, reading)) {
    if (kind === 'warm' && head.native_id === request.session) yield* copies(head, reading)
    yield* shells(head, reading)
  }
}

/** After exit: what this resume left behind. */
export function* filesToRemove(request: StartRequest, reading: ReadContext): Generator<SafetyCopy> {
  for (const head of sessionsOf(request, reading)) if (head.native_id === request.session) yield* shells(head, reading)
}

/** The requested session, and those of its project that have more than one file. Others are not opened. */
function* sessionsOf({ cwd, session }: StartRequest, reading: ReadContext): Generator<SessionHead> {
  for (const source of sources(reading)) {
    if (isProblem(source) || (source.files.length < 2 && !source.path.includes(session.slice(0, 8)))) continue
    const project = basename(dirname(dirname(source.path)))
    if (projectsOf(reading).cwdOf(project) !== cwd) continue
    for (const head of heads(source, reading)) if (!isProblem(head)) yield head
  }
}

function* copies(head: SessionHead, reading: ReadContext): Generator<SafetyCopy> {
  for (const path of filesOfSession(head.path, head.native_id, reading)) {
    const append = path.endsWith('.jsonl') ? linesAgainstRepeatedResults(path, reading) : undefined
    yield { name: basename(path), path, ...(append ? { append } : {}) }
  }
  const subAgents = join(dirname(head.path), head.native_id)
  for (const name of filesIn(subAgents, /\.jsonl$/, reading)) {
    if (typeof name === 'string') yield { name: `sub-agent-${name}`, path: join(subAgents, name) }
  }
}

/**
 * A resume leaves a second file without messages. The next start under another id treats it as damaged and deletes every
 * file with the same ending, the session included. Once the resume has begun it is never written again.
 */
function* shells(head: SessionHead, reading: ReadContext): Generator<SafetyCopy> {
  for (const path of filesOfSession(head.path, head.native_id, reading)) {
    const stamp = path === head.path ? undefined : stampOf(path)
    if (stamp && path.endsWith('.jsonl') && !describeFile(stamp, reading).spoken) {
      yield { name: `shell-${basename(path)}`, path, move: true }
    }
  }
}
