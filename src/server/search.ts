import type { Message, Part, SearchMatch } from './contract.ts'

const MAX_MATCHES = 500
/** Characters shown before the first match; twice as many after it. */
const SNIPPET_MARGIN = 60

/** The messages that contain all of these words, oldest first, with the text around the first one. */
export function searchMessages(messages: readonly Message[], query: string): SearchMatch[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const matches: SearchMatch[] = []
  for (const { id, role, parts } of messages) {
    const text = parts.map(partText).join('\n')
    const lower = text.toLowerCase()
    if (!words.every((word) => lower.includes(word))) continue
    matches.push({ id, role, snippet: snippetAt(text, lower.indexOf(words[0]!)) })
    if (matches.length >= MAX_MATCHES) break
  }
  return matches
}

function partText(part: Part): string {
  if (part.type === 'tool_use') return `${part.name} ${JSON.stringify(part.input) ?? ''}`
  if (part.type === 'tool_result') return part.content
  return part.type === 'note' && part.answer ? `${part.text}\n${part.answer.details}` : part.text
}

function snippetAt(text: string, offset: number): string {
  const [start, end] = [Math.max(0, offset - SNIPPET_MARGIN), offset + 2 * SNIPPET_MARGIN]
  const snippet = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${snippet}${end < text.length ? '…' : ''}`
}
