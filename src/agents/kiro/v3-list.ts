import { basename, dirname } from 'node:path'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { endRecords, fileHead, headOrProblem, readSideFile } from '../../native/file-head.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { Source } from '../agent.ts'

const MAX_SESSION = 64 * 1024

/** The folder is named after the session; the name of the folder above it means nothing to Ion. */
export function* v3Head(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  yield* headOrProblem(path, () => {
    const session = files.find((stamp) => stamp.path.endsWith('session.json'))
    // Small, with a fixed set of fields. When it is missing or does not parse, the messages are still there.
    const meta = session ? readSideFile(session.path, reading, MAX_SESSION) : {}
    const { first, last } = path.endsWith('.jsonl') ? endRecords(files[0]!, reading) : { first: [], last: [] }
    return {
      ...fileHead('kiro', basename(dirname(path)), files),
      title: titleFrom(asString(meta.title) || firstPrompt(first)),
      cwd: asString(asArray(meta.workspacePaths)?.[0]) || null,
      created_at: toIso(meta.createdAt) ?? toIso(first[0]?.timestamp) ?? null,
      updated_at: toIso(last.at(-1)?.timestamp) ?? toIso(meta.lastModifiedAt) ?? null,
      model: asString(meta.modelId) ?? null,
      format: 'v3-jsonl',
      resumable: true,
    }
  })
}

function firstPrompt(lines: readonly Readonly<Record<string, unknown>>[]): string {
  const payloads = lines.map((line) => asObject(line.payload))
  return asString(payloads.find((payload) => payload?.type === 'user')?.content) ?? ''
}
