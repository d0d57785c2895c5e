import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ModelMessage, ModelSide } from './records.ts'
import { type Blobs, parseJson } from './store.ts'

/**
 * Calls and results in the model's messages. Only their locations are kept in memory, and they are searched only when a tool
 * call needs them.
 */
export function modelSide(messages: readonly Buffer[], blobs: Blobs): ModelSide {
  let places: ReadonlyMap<string, Buffer> | undefined
  const find = (type: string, id: string): ModelMessage | undefined => {
    places ??= findPlaces(messages, blobs)
    const blob = places.get(`${type} ${id}`)
    return blob && contentOf(blob, blobs).find((item) => item.type === type && item.toolCallId === id)
  }
  return { call: (id) => find('tool-call', id), result: (id) => find('tool-result', id) }
}

function findPlaces(messages: readonly Buffer[], blobs: Blobs): Map<string, Buffer> {
  const places = new Map<string, Buffer>()
  for (const blob of messages) {
    for (const { type, toolCallId } of contentOf(blob, blobs)) {
      if (asString(toolCallId)) places.set(`${type} ${toolCallId}`, blob)
    }
  }
  return places
}

function contentOf(blob: Buffer, blobs: Blobs): ModelMessage[] {
  const data = blobs.get(blob)
  const content = asArray(data && parseJson(data)?.content) ?? []
  return content.map((item) => asObject(item) ?? {})
}
