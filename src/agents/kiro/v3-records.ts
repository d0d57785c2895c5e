import type { Content } from '../../events/schema.ts'
import { asArray, asObject, asString, requireObject, requireString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'

/** A line of engine v3: `{ id, timestamp, payload: { type, … } }`. */
export type V3Record = Readonly<Record<string, unknown>>

export function v3Drafts(record: V3Record): Draft[] | undefined {
  return payloadDrafts(requireObject(record.payload, 'payload'))?.map((draft) => ({ ...draft, time: record.timestamp }))
}

function payloadDrafts(payload: V3Record): Draft[] | undefined {
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
function userDrafts(payload: V3Record): Draft[] {
  const { images, documents } = payload
  const attached = (asArray(images)?.length ?? 0) + (asArray(documents)?.length ?? 0) > 0
  return [
    { type: 'user', content: requireString(payload.content, 'content') },
    ...(attached ? [{ type: 'native', record: { images, documents } } as Draft] : []),
  ]
}

function assistant(payload: V3Record): Draft {
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
function turnEnd(payload: V3Record): Draft[] {
  const reason = asString(payload.stopReason)
  if (reason === undefined || reason === 'end_turn') return []
  return [
    { type: 'system', subtype: /cancel|abort|interrupt/i.test(reason) ? 'interrupted' : 'turn_end', content: payload },
  ]
}
