import type { Answer, Message, MessagePreview, Part, ToolResult, ToolUse } from '../api/contract.ts'
import type { ListRow } from './steps.ts'

interface Common {
  /** Stable for the same part of the conversation, however much is loaded around it. */
  readonly key: string
  readonly message: Message
}

/** One row of the list. A turn can have hundreds of calls, so rows are parts of messages. */
export type Row =
  | (Common & { readonly kind: 'prompt'; readonly text: string; readonly pending?: true })
  /** `isPreview`: from the terminal. */
  | (Common & { readonly kind: 'text'; readonly text: string; readonly isPreview?: true })
  | (Common & { readonly kind: 'thinking'; readonly text: string })
  | (Common & { readonly kind: 'call'; readonly call: ToolUse; readonly result: ToolResult | undefined })
  /** A result whose call is not in the message. */
  | (Common & { readonly kind: 'result'; readonly result: ToolResult })
  | (Common & { readonly kind: 'note'; readonly subtype: string; readonly text: string })
  /** A question of the agent that was answered. */
  | (Common & { readonly kind: 'answer'; readonly answer: Answer })

const known = new WeakMap<Message, readonly Row[]>()

export function rowsOf(messages: readonly Message[]): readonly Row[] {
  return messages.flatMap((message) => {
    const rows = known.get(message) ?? rowsOfMessage(message)
    known.set(message, rows)
    return rows
  })
}

function rowsOfMessage(message: Message): readonly Row[] {
  const results = new Map<string, ToolResult>()
  for (const part of message.parts) if (part.type === 'tool_result') results.set(part.tool_use_id, part)
  const calls = new Set(message.parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : [])))
  const rows = message.parts.flatMap((part, index): Row[] => {
    const common = { key: `${message.id}.${index}`, message }
    const row = rowOfPart(part, common, results, calls)
    return row ? [row] : []
  })
  // A prompt with images only, or an agent that has not said anything yet.
  if (rows.length === 0 && message.role === 'user') {
    return [{ kind: 'prompt', key: `${message.id}.0`, message, text: message.content }]
  }
  return rows
}

function rowOfPart(
  part: Part,
  common: Common,
  results: ReadonlyMap<string, ToolResult>,
  calls: ReadonlySet<string>,
): Row | undefined {
  switch (part.type) {
    case 'text':
      if (part.text.trim() === '') return undefined
      return { ...common, kind: common.message.role === 'user' ? 'prompt' : 'text', text: part.text }
    case 'thinking':
      return part.text.trim() === '' ? undefined : { ...common, kind: 'thinking', text: part.text }
    case 'tool_use':
      return { ...common, kind: 'call', call: part, result: results.get(part.id) }
    case 'tool_result':
      return calls.has(part.tool_use_id) ? undefined : { ...common, kind: 'result', result: part }
    case 'note':
      if (part.answer) return { ...common, kind: 'answer', answer: part.answer }
      return { ...common, kind: 'note', subtype: part.subtype, text: part.text }
    // Unknown parts of a newer server are for a newer page.
    default:
      return undefined
  }
}

/** What the agent is writing: the last row of its message. */
export function previewRows({ id, text }: MessagePreview): readonly Row[] {
  if (text === '') return []
  const message: Message = { id, role: 'agent', content: '', time: '', parts: [{ type: 'text', text }], done: false }
  return [{ kind: 'text', key: `${id}.preview`, message, text: keepingColumns(text), isPreview: true }]
}

/** Tables and diagrams of a terminal need letters of one width. */
function keepingColumns(text: string): string {
  return text.replace(/(?:^.*[│┃┌├└╭╰┼━─]{1,}.*(?:\n|$))+/gm, (lines) => `\`\`\`text\n${lines.trimEnd()}\n\`\`\`\n`)
}

/** Estimated height of a row, so that the scroll bar is right before it is rendered. */
export function estimateHeight(row: ListRow, width: number): number {
  const known = estimates.get(row)
  if (known?.width === width) return known.height
  const height = estimated(row, width)
  estimates.set(row, { width, height })
  return height
}

const estimates = new WeakMap<ListRow, { readonly width: number; readonly height: number }>()

function estimated(row: ListRow, width: number): number {
  switch (row.kind) {
    case 'prompt':
      return Math.min(textHeight(row.text, width), 420) + 74
    case 'text':
      return textHeight(row.text, width) + 20
    case 'note':
      return 44
    default:
      return 34
  }
}

const LINE = 26
const LETTER = 8

function textHeight(text: string, width: number): number {
  const columns = Math.max(20, width / LETTER)
  let lines = 0
  for (const line of text.slice(0, 20_000).split('\n')) lines += Math.max(1, Math.ceil(line.length / columns))
  return lines * LINE
}

/** All searchable text of a row. */
export function rowText(row: Row): string {
  switch (row.kind) {
    case 'call':
      return `${row.call.name}\n${JSON.stringify(row.call.input) ?? ''}\n${row.result?.content ?? ''}`
    case 'result':
      return row.result.content
    case 'answer':
      return `${row.answer.choice}\n${row.answer.question}\n${row.answer.by}\n${row.answer.details}`
    default:
      return row.text
  }
}
