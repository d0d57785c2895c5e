import { basename, dirname } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { parseLines } from '../../native/line-window.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { readHead, readTail, readWhole } from '../../native/window.ts'
import type { Source } from '../agent.ts'

const WINDOW = 32 * 1024

/** The folder's name is the session's id; the key in the folder above it tells nothing. */
export function* v3Head(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  try {
    const native_id = basename(dirname(path))
    const meta = metadata(source, reading)
    const size = path.endsWith('.jsonl') ? files[0]!.size : 0
    const first = size ? parseLines(readHead(path, Math.min(WINDOW, size), reading), 'head') : []
    const last = size > WINDOW ? parseLines(readTail(path, WINDOW, reading), 'tail') : first
    yield {
      id: sessionId('kiro', native_id),
      agent: 'kiro',
      native_id,
      path,
      title: titleFrom(asString(meta.title) || firstPrompt(first)),
      cwd: asString(asArray(meta.workspacePaths)?.[0]) || null,
      created_at: toIso(meta.createdAt) ?? toIso(first[0]?.timestamp) ?? null,
      updated_at: toIso(last.at(-1)?.timestamp) ?? toIso(meta.lastModifiedAt) ?? null,
      model: asString(meta.modelId) ?? null,
      bytes: files.reduce((sum, file) => sum + file.size, 0),
      revision: files.map((file) => `${file.ino}:${file.size}:${file.mtimeMs}`).join(' '),
      agent_version: null,
      format: 'v3-jsonl',
      resumable: true,
    }
  } catch (error) {
    yield cannotRead(path, error)
  }
}

/** Small, with a fixed set of fields. Empty when it is missing or does not parse: the messages are still there. */
function metadata(source: Source, reading: ReadContext): Readonly<Record<string, unknown>> {
  const file = source.files.find((stamp) => stamp.path.endsWith('session.json'))
  if (!file || file.size > 2 * WINDOW) return {}
  try {
    return asObject(JSON.parse(readWhole(file.path, reading).toString('utf8'))) ?? {}
  } catch {
    return {}
  }
}

function firstPrompt(lines: readonly Readonly<Record<string, unknown>>[]): string {
  const payloads = lines.map((line) => asObject(line.payload))
  return asString(payloads.find((payload) => payload?.type === 'user')?.content) ?? ''
}
