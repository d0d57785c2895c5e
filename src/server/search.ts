import type { Message, Part, Role } from './message.ts'

export interface Match {
  readonly id: number
  readonly role: Role
  readonly snippet: string
}

const MOST = 500
const AROUND = 60

/** The messages that have these words somewhere in them, the oldest first, with the place of the first one. */
export function searchMessages(messages: readonly Message[], query: string): Match[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const matches: Match[] = []
  for (const { id, role, parts } of messages) {
    const text = parts.map(partText).join('\n')
    const lower = text.toLowerCase()
    if (!words.every((word) => lower.includes(word))) continue
    matches.push({ id, role, snippet: snippetAt(text, lower.indexOf(words[0]!)) })
    if (matches.length >= MOST) break
  }
  return matches
}

function partText(part: Part): string {
  if (part.type === 'tool_use') return `${part.name} ${JSON.stringify(part.input) ?? ''}`
  return part.type === 'tool_result' ? part.content : part.text
}

function snippetAt(text: string, place: number): string {
  const from = Math.max(0, place - AROUND)
  const piece = text.slice(from, place + 2 * AROUND).replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${piece.trim()}${place + 2 * AROUND < text.length ? '…' : ''}`
}
