import { basename, dirname } from 'node:path'
import type { Problem } from '../../events/item.ts'
import type { Content } from '../../events/schema.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { endRecords, fileHead, headOrProblem, readSideFile } from '../../native/file-head.ts'
import { asArray, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { Source } from '../agent.ts'

/** Engine v3. */
type Fields = Readonly<Record<string, unknown>>

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

function firstPrompt(lines: readonly Fields[]): string {
  const payloads = lines.map((line) => asObject(line.payload))
  return asString(payloads.find((payload) => payload?.type === 'user')?.content) ?? ''
}

/** A line is `{ id, timestamp, payload: { type, … } }`. */
export function v3Drafts(record: Fields): Draft[] | undefined {
  return payloadDrafts(requireObject(record.payload, 'payload'))?.map((draft) => ({ ...draft, time: record.timestamp }))
}

function payloadDrafts(payload: Fields): Draft[] | undefined {
  switch (payload.type) {
    case 'user':
      return userDrafts(payload)
    case 'assistant':
      return [assistant(payload)]
    case 'tool_call':
      return [
        {
          type: 'tool_use',
          id: asString(payload.toolCallId),
          name: requireString(payload.toolName, 'toolName'),
          input: payload.input ?? payload.args ?? {},
        },
      ]
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: asString(payload.toolCallId) ?? '',
          content: resultContent(payload.content),
          is_error: payload.success === false,
        },
      ]
    case 'turn_end':
      return turnEnd(payload)
    case 'usage_summary':
      return [{ type: 'system', subtype: 'usage', content: payload }]
    case 'session_start':
    case 'session_metadata':
    case 'turn_start':
      return []
    default:
      return undefined
  }
}

/** Images and documents were never seen in a store; they are kept as native. */
function userDrafts(payload: Fields): Draft[] {
  const { images, documents } = payload
  const attached = (asArray(images)?.length ?? 0) + (asArray(documents)?.length ?? 0) > 0
  return [
    { type: 'user', content: requireString(payload.content, 'content') },
    ...(attached ? [{ type: 'native', record: { images, documents } } as Draft] : []),
  ]
}

function assistant(payload: Fields): Draft {
  const model = asString(payload.reasoningModelId)
  return {
    type: 'assistant',
    content: [{ type: 'text', text: requireString(payload.content, 'content') }],
    ...(model ? { model } : {}),
  }
}

function resultContent(content: unknown): Content {
  if (typeof content === 'string') return content
  const texts = asArray(content)?.map((part) => asString(asObject(part)?.text))
  if (texts?.length && texts.every((text) => text !== undefined)) {
    return texts.map((text) => ({ type: 'text', text }))
  }
  return content === undefined || content === null ? '' : JSON.stringify(content)
}

/** A normal end is not an event. */
function turnEnd(payload: Fields): Draft[] {
  const reason = asString(payload.stopReason)
  if (reason === undefined || reason === 'end_turn') return []
  return [
    { type: 'system', subtype: /cancel|abort|interrupt/i.test(reason) ? 'interrupted' : 'turn_end', content: payload },
  ]
}
