import { type Problem, ReadError } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { asCount, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { capture } from '../../platform/capture.ts'
import { messageOf } from '../../platform/error.ts'
import { findExecutable } from '../../platform/executable.ts'
import type { Io } from '../../platform/io.ts'
import { bareHead } from './list.ts'
import { folderOf, parseJson, THREAD_ID } from './thread.ts'

const TIMEOUT_MS = 30_000
const PAGE = 500
const MAX_PAGES = 40
/** The maximum length of the program's error message. */
const MAX_MESSAGE = 300

/** The threads on the server, as `amp` lists them, archived ones included: `amp -x` archives every thread it creates. */
export function* remote(reading: ReadContext): Generator<SessionHead | Problem> {
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const offset = page ? ['--offset', String(page * PAGE)] : []
      const args = ['threads', 'list', '--json', '--include-archived', '--limit', String(PAGE), ...offset]
      const listed = parseJson(amp(args, reading.io))
      if (!Array.isArray(listed)) throw new Error('`amp threads list --json` gave no list')
      for (const item of listed) yield remoteHead(asObject(item) ?? {}, reading.io)
      if (listed.length < PAGE) return
    }
  } catch (error) {
    yield { code: 'remote_failed', problem: messageOf(error), path: serverUrl(reading.io) }
  }
}

function remoteHead(item: Readonly<Record<string, unknown>>, io: Io): SessionHead | Problem {
  const id = asString(item.id) ?? ''
  const path = `${serverUrl(io)}/threads/${id}`
  if (!THREAD_ID.test(id))
    return { code: 'remote_failed', problem: 'a listed thread has no valid id', path: serverUrl(io) }
  return {
    ...bareHead(id, path),
    title: titleFrom(asString(item.title) ?? ''),
    cwd: folderOf(item.tree),
    updated_at: toIso(item.updated) ?? null,
    revision: `${asString(item.updated) ?? ''}:${asCount(item.messageCount) ?? ''}`,
    format: 'remote-export',
  }
}

/** The complete thread as JSON; throws with the reason. */
export function exportThread(id: string, reading: ReadContext): string {
  if (!THREAD_ID.test(id)) throw new ReadError('remote_failed', `${id} is not the id of a thread`)
  const text = amp(['threads', 'export', id], reading.io)
  reading.bytes += Buffer.byteLength(text)
  return text
}

/** Without a key it would print a login URL and wait for ever, so it is not started then. */
function amp(args: readonly string[], io: Io): string {
  if (!io.env.AMP_API_KEY)
    throw new ReadError('remote_failed', 'AMP_API_KEY is not set; Amp needs it to reach its server')
  const program = findExecutable(['amp'], io)
  if (!program)
    throw new ReadError(
      'remote_failed',
      'the program `amp` is not on the PATH; install it: npm install -g @ampcode/cli',
    )
  const quiet: Io = { ...io, env: { ...io.env, AMP_SKIP_UPDATE_CHECK: '1' } }
  const captured = capture(program, args, quiet, TIMEOUT_MS)
  if ('stdout' in captured) return captured.stdout
  const reason = captured.stderr.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE)
  throw new ReadError('remote_failed', `\`amp ${args.join(' ')}\` ${captured.problem}${reason ? `: ${reason}` : ''}`)
}

function serverUrl(io: Io): string {
  return (io.env.AMP_URL || 'https://ampcode.com').replace(/\/+$/, '')
}
