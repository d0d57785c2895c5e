import type { Block, Content } from '../../events/schema.ts'
import { toContent } from '../../native/content.ts'
import type { JsonObject } from '../../native/json-lines.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { partsOf, toBlock } from './records.ts'

export interface ToolResult {
  readonly content: Content
  readonly is_error: boolean
}

const FAILED = new Set(['error', 'cancelled'])

/** The result in a tool call's record; undefined while there is none. */
export function resultOfCall(call: JsonObject, callId: string): ToolResult | undefined {
  const failed = FAILED.has(asString(call.status) ?? '')
  const { result } = call
  if (result === undefined || result === null) {
    return failed ? { content: asString(call.resultDisplay) ?? '', is_error: true } : undefined
  }
  // After a rewrite of the history it has the results of its neighbours too.
  const own = partsOf(result).filter((part) => {
    const id = asObject(part.functionResponse)?.id
    return id === undefined || id === callId
  })
  const results = own.map(resultOfPart)
  return {
    content: toContent(results.flatMap((part) => part.blocks)),
    is_error: failed || results.some((part) => part.failed),
  }
}

/** A `functionResponse` part of a user's record. */
export function resultOfResponse(part: JsonObject): ToolResult {
  const { blocks, failed } = resultOfPart(part)
  return { content: toContent(blocks), is_error: failed }
}

function resultOfPart(part: JsonObject): { blocks: Block[]; failed: boolean } {
  const functionResponse = asObject(part.functionResponse)
  if (!functionResponse) return { blocks: [toBlock(part) ?? asText(part)], failed: false }
  const response = asObject(functionResponse.response) ?? {}
  const said = response.error ?? response.output
  const text: Block = typeof said === 'string' ? { type: 'text', text: said } : asText(said ?? response)
  const extra = (asArray(functionResponse.parts) ?? []).flatMap((nested) => toBlock(asObject(nested) ?? {}) ?? [])
  return { blocks: [text, ...extra], failed: response.error !== undefined }
}

function asText(value: unknown): Block {
  return { type: 'text', text: JSON.stringify(value) }
}
