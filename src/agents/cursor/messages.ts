import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { ModelMessage } from './records.ts'

/** Messages as the model sees them, in a store's JSON and in the lines of a transcript. */

export const SUMMARY = '[Previous conversation summary]:'
export const OPEN = '<user_query>'
export const CLOSE = '</user_query>'

/** A text in the user's place: only what is between `<user_query>` was typed by the user. */
export function userTextDrafts(text: string): Draft[] {
  if (text.startsWith(SUMMARY)) {
    return [{ type: 'compaction', summary: text.slice(SUMMARY.length).trim(), replaces: [] }]
  }
  const opened = text.indexOf(OPEN)
  const closed = text.lastIndexOf(CLOSE)
  if (opened < 0 || closed < opened) {
    return isContext(text) ? [{ type: 'system', subtype: 'context', content: text }] : typedDrafts(text)
  }
  const around = `${text.slice(0, opened)}${text.slice(closed + CLOSE.length)}`.trim()
  const typed = text
    .slice(opened + OPEN.length, closed)
    .replace(/^\n/, '')
    .replace(/\n$/, '')
  return [...(around ? [{ type: 'system', subtype: 'context', content: around } as const] : []), ...typedDrafts(typed)]
}

function typedDrafts(content: string): Draft[] {
  return content.trim() === '' ? [] : [{ type: 'user', content }]
}

/** It begins and ends with a tag, like `<user_info>…</user_info>`, which nobody types. */
function isContext(text: string): boolean {
  return /^<[a-z_]+>/.test(text.trimStart()) && /<\/[a-z_]+>$/.test(text.trimEnd().slice(-80))
}

export function messageDrafts(message: ModelMessage, key: string): Draft[] | undefined {
  const { role, content } = message
  const items = typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content)
  if (!items || !['system', 'user', 'assistant', 'tool'].includes(String(role))) return undefined
  return items.flatMap((item, index) => itemDrafts(asObject(item) ?? { value: item }, role, `${key}.${index}`))
}

function itemDrafts(item: ModelMessage, role: unknown, key: string): Draft[] {
  switch (item.type) {
    case 'text':
      return textDrafts(asString(item.text) ?? '', role)
    case 'reasoning':
      return item.text ? [{ type: 'thinking', content: asString(item.text) ?? '' }] : []
    case 'redacted-reasoning':
      return [{ type: 'system', subtype: 'redacted_thinking', content: null }]
    // The store says tool-call and args, the transcript tool_use and input; a transcript has no ids.
    case 'tool-call':
    case 'tool_use': {
      const id = asString(item.toolCallId) ?? asString(item.id) ?? key
      const name = asString(item.toolName) ?? asString(item.name) ?? ''
      return [{ type: 'tool_use', id, name, input: item.args ?? item.input ?? {} }]
    }
    case 'tool-result':
      return [{ ...resultOf(item), type: 'tool_result', tool_use_id: asString(item.toolCallId) ?? '' }]
    default:
      return [{ type: 'native', record: item }]
  }
}

function textDrafts(text: string, role: unknown): Draft[] {
  if (text === '') return []
  if (text === '[REDACTED]') return [{ type: 'system', subtype: 'redacted', content: null }]
  if (role === 'user') return userTextDrafts(text)
  if (role === 'assistant') return spokenDrafts(text)
  return [{ type: 'system', subtype: role === 'system' ? 'system_prompt' : 'tool_text', content: text }]
}

const REDACTED = '\n\n[REDACTED]'

/** A transcript appends what the model thought to what it said, and a marker for thoughts that it leaves out. */
function spokenDrafts(text: string): Draft[] {
  if (!text.endsWith(REDACTED)) return [{ type: 'assistant', content: [{ type: 'text', text }] }]
  const said = text.slice(0, -REDACTED.length)
  return [
    { type: 'assistant', content: [{ type: 'text', text: said }] },
    { type: 'system', subtype: 'redacted', content: null },
  ]
}

export function resultOf(item: ModelMessage): { readonly content: string; readonly is_error: boolean } {
  const { result } = item
  const content = typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result)
  return { content, is_error: item.isError === true || item.error === true }
}
