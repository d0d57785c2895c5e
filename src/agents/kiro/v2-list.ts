import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { endRecords, fileHead, headOrProblem } from '../../native/file-head.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'

const WINDOW = 32 * 1024

/** `<id>.json` describes the session, `<id>.jsonl` contains it. */
export function* v2Head(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  yield* headOrProblem(path, () => {
    const meta = metadata(source, reading)
    const lines = path.endsWith('.jsonl') ? endRecords(files[0]!, reading) : { first: [], last: [] }
    const parent = asString(meta.parent_session_id)
    const updated = [toIso(meta.updated_at), ...lines.last.map(timeOf)].filter((time) => time !== undefined)
    return {
      ...fileHead('kiro', basename(path).replace(/\.jsonl?$/, ''), files),
      title: titleFrom(asString(meta.title) || firstPrompt(lines.first)),
      cwd: asString(meta.cwd) || null,
      created_at: toIso(meta.created_at) ?? lines.first.map(timeOf).find(Boolean) ?? null,
      // When Kiro was killed in a turn, the lines are ahead of the metadata.
      updated_at: updated.sort().at(-1) ?? null,
      model: modelOf(meta),
      format: 'v2-jsonl',
      resumable: parent === undefined && meta.session_created_reason !== 'subagent',
      ...(parent ? { parent_session: sessionId('kiro', parent) } : {}),
    }
  })
}

/** The session that started the one that this metadata describes. */
export function parentIn(file: FileStamp, reading: ReadContext): string | undefined {
  try {
    return asString(metadata({ path: file.path, files: [file] }, reading).parent_session_id)
  } catch {
    return undefined
  }
}

type Metadata = Readonly<Record<string, unknown>>

/**
 * What comes before `session_state` and after its `rts_model_state`: between them is a list that grows with every turn.
 * Empty when there is no metadata, or none that parses.
 */
function metadata(source: Source, reading: ReadContext): Metadata {
  const file = source.files.find((stamp) => stamp.path.endsWith('.json'))
  if (!file) return {}
  const head = readHead(file.path, Math.min(WINDOW, file.size), reading).toString('utf8')
  const whole = file.size <= WINDOW ? parseObject(head) : undefined
  if (whole) return whole
  const [front = ''] = head.split('"session_state":', 1)
  const tail = readTail(file.path, Math.min(WINDOW, file.size), reading).toString('utf8')
  const at = tail.lastIndexOf('"rts_model_state":')
  const state = at < 0 ? undefined : parseObject(`{${tail.slice(at).replace(/\}\s*$/, '')}`)
  return { ...parseObject(`${front.replace(/,\s*$/, '')}}`), ...(state ? { session_state: state } : {}) }
}

function parseObject(text: string): Metadata | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function modelOf(meta: Metadata): string | null {
  const info = asObject(asObject(asObject(meta.session_state)?.rts_model_state)?.model_info)
  return asString(info?.model_id) ?? asString(info?.model_name) ?? null
}

/** Only prompts have a time. */
function timeOf(line: Metadata): string | undefined {
  return toIso(asObject(asObject(line.data)?.meta)?.timestamp)
}

function firstPrompt(lines: readonly Metadata[]): string {
  const prompt = lines.find((line) => line.kind === 'Prompt')
  const blocks = asArray(asObject(prompt?.data)?.content) ?? []
  return blocks.map((block) => asString(asObject(block)?.data)).find(Boolean) ?? ''
}
