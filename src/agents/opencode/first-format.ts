import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Json, OpenCodeMessage } from './records.ts'

/**
 * The first format of a message (until mid-2025): the parts inside it, everything else under `metadata`, and a tool's call and
 * result as one "invocation" of the AI SDK. It is converted to today's shape, so that there is one reader.
 */
export function isFirstFormat(message: Json): boolean {
  return asObject(message.metadata) !== undefined && Array.isArray(message.parts)
}

export function fromFirstFormat(message: Json, id: string): OpenCodeMessage {
  const metadata = asObject(message.metadata) ?? {}
  const tools = asObject(metadata.tool) ?? {}
  const parts = (asArray(message.parts) ?? []).map((value, index): Json => {
    const part = asObject(value) ?? { value }
    // Parts had no ids.
    const known = { ...part, id: `${id}.${index}` }
    if (part.type === 'tool-invocation') return { ...known, ...toolPart(asObject(part.toolInvocation) ?? {}, tools) }
    return part.type === 'file' ? { ...known, mime: part.mediaType } : known
  })
  const { role } = message
  return { info: { ...asObject(metadata.assistant), id, role, time: metadata.time, error: metadata.error }, parts }
}

function toolPart(invocation: Json, tools: Json): Json {
  const { toolName: tool, toolCallId: callID, args: input, result: output } = invocation
  const about = asObject(tools[asString(callID) ?? '']) ?? {}
  const state = { input, time: about.time, title: about.title, metadata: about }
  return { type: 'tool', tool, callID, state: { ...state, ...outcome(invocation.state, output, about) } }
}

function outcome(state: unknown, output: unknown, about: Json): Json {
  if (state === 'partial-call') return { status: 'pending' }
  if (state === 'call') return { status: 'running' }
  if (state !== 'result') return { status: state }
  return about.error === true ? { status: 'error', error: output } : { status: 'completed', output }
}
