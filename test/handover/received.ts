// What a request to the model has, in order, whichever protocol it is in. Nothing is taken out of texts and nothing is joined:
// what the stub's own log has is for scenarios that look for a prompt.
import { asArray, asObject, asString } from '../../src/native/narrow.ts'
import { parsedInput } from '../model/history.ts'

export type Piece =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant' | 'system'; readonly text: string }
  /** Base64. */
  | { readonly kind: 'image'; readonly data: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }

type Json = Readonly<Record<string, unknown>>

/** By the name of the stub's protocol. */
const readers: Readonly<Record<string, (body: Json) => Piece[]>> = {
  anthropic: (body) => objects(body.messages).flatMap(anthropicPieces),
  responses: (body) =>
    typeof body.input === 'string' ? texts('user', body.input) : objects(body.input).flatMap(responsesPieces),
  chat: (body) => objects(body.messages).flatMap(chatPieces),
  gemini: (body) => objects(body.contents).flatMap(geminiPieces),
  augment: (body) => [
    ...objects(body.chat_history).flatMap(augmentPieces),
    ...augmentPieces({ request_message: body.message, request_nodes: body.nodes }),
  ],
}

/** Undefined for a protocol that is not known here. */
export function receivedPieces(protocol: string, body: unknown): Piece[] | undefined {
  return readers[protocol]?.(asObject(body) ?? {})
}

function anthropicPieces({ role, content }: Json): Piece[] {
  const speaker = roleOf(role)
  if (typeof content === 'string') return texts(speaker, content)
  return objects(content).flatMap((block): Piece[] => {
    if (block.type === 'text') return texts(speaker, block.text)
    if (block.type === 'image') return images(asObject(block.source)?.data)
    if (block.type === 'tool_use') return [call(block.id, block.name, block.input)]
    if (block.type === 'tool_result') return [result(block.tool_use_id, joined(block.content))]
    return []
  })
}

function responsesPieces(item: Json): Piece[] {
  const type = String(item.type ?? 'message')
  if (type.endsWith('_call')) {
    return [call(item.call_id, item.name ?? type, parsedInput(item.arguments ?? item.input ?? item.action))]
  }
  if (type.endsWith('_call_output')) {
    const output = asObject(item.output)
    return [result(item.call_id, joined(output?.content ?? item.output))]
  }
  return type === 'message' ? contentPieces(roleOf(item.role), item.content) : []
}

function chatPieces({ role, content, tool_calls, tool_call_id }: Json): Piece[] {
  if (role === 'tool') return [result(tool_call_id, joined(content))]
  const calls = objects(tool_calls).map((one) => {
    const { name, arguments: input } = asObject(one.function) ?? {}
    return call(one.id, name, parsedInput(input))
  })
  return [...contentPieces(roleOf(role), content), ...calls]
}

/** Parts of OpenAI's two protocols. */
function contentPieces(role: Speaker, content: unknown): Piece[] {
  if (typeof content === 'string') return texts(role, content)
  return objects(content).flatMap((part): Piece[] => {
    if (typeof part.text === 'string') return texts(role, part.text)
    const url = asString(part.image_url) ?? asString(asObject(part.image_url)?.url)
    return url === undefined ? [] : images(/^data:[^,]*;base64,(.*)$/s.exec(url)?.[1])
  })
}

function geminiPieces({ role, parts }: Json): Piece[] {
  return objects(parts).flatMap((part): Piece[] => {
    const [made, answered] = [asObject(part.functionCall), asObject(part.functionResponse)]
    if (made) return [call(made.id ?? made.name, made.name, made.args ?? {})]
    if (answered) {
      const response = asObject(answered.response) ?? {}
      return [result(answered.id ?? answered.name, joined(response.output ?? response.error ?? response))]
    }
    const inline = asObject(part.inlineData)
    if (inline) return images(inline.data)
    return part.thought === true ? [] : texts(role === 'model' ? 'assistant' : 'user', part.text)
  })
}

/** Numbers of nodes: 0 text, 1 result, 2 image, 5 call. */
function augmentPieces({ request_message, request_nodes, response_text, response_nodes }: Json): Piece[] {
  const asked = objects(request_nodes).flatMap((node): Piece[] => {
    const [answered, text] = [asObject(node.tool_result_node), asObject(node.text_node)]
    if (answered) return [result(answered.tool_use_id, joined(answered.content))]
    if (text) return texts('user', text.content)
    return images(asObject(node.image_node)?.image_data)
  })
  const said = objects(response_nodes).flatMap((node): Piece[] => {
    const made = asObject(node.tool_use)
    if (made) return [call(made.tool_use_id, made.tool_name, parsedInput(made.input_json))]
    return node.type === 0 ? texts('assistant', node.content) : []
  })
  return [
    ...(asked.length > 0 ? asked : texts('user', request_message)),
    ...(said.length > 0 ? said : texts('assistant', response_text)),
  ]
}

type Speaker = 'user' | 'assistant' | 'system'

function roleOf(role: unknown): Speaker {
  return role === 'user' || role === 'assistant' ? role : 'system'
}

function texts(role: Speaker, text: unknown): Piece[] {
  return typeof text === 'string' && text !== '' ? [{ kind: 'text', role, text }] : []
}

function images(data: unknown): Piece[] {
  return typeof data === 'string' ? [{ kind: 'image', data }] : []
}

function call(id: unknown, name: unknown, input: unknown): Piece {
  return { kind: 'call', id: String(id ?? ''), name: String(name ?? ''), input }
}

function result(id: unknown, text: string): Piece {
  return { kind: 'result', id: String(id ?? ''), text }
}

function joined(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = asArray(content)
  if (parts) return parts.map((part) => asString(asObject(part)?.text) ?? '').join('\n')
  return content === undefined || content === null ? '' : JSON.stringify(content)
}

function objects(value: unknown): Json[] {
  return (asArray(value) ?? []).flatMap((one): Json[] => {
    const object = asObject(one)
    return object ? [object] : []
  })
}
