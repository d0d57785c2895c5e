import type { Content, IonEvent } from './schema.ts'

/** The readable text of a content: its text blocks joined, with placeholders in brackets for images and files. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content
  return content
    .map((block) => {
      if (block.type === 'text') return block.text
      if (block.type === 'file') return `[file ${block.path}]`
      return `[image${block.media_type ? ` ${block.media_type}` : ''}]`
    })
    .join('\n')
}

/** The text of an event for search and display; empty if it has none. */
export function eventText(event: IonEvent): string {
  switch (event.type) {
    case 'user':
    case 'assistant':
    case 'tool_result':
      return contentText(event.content)
    case 'thinking':
      return event.content
    case 'tool_use':
      return `${event.name} ${inputText(event.input)}`
    case 'compaction':
      return event.summary
    case 'session_start':
      return event.title ?? ''
    default:
      return ''
  }
}

/** A tool's input as text: the values without the JSON around them. */
export function inputText(input: unknown, depth = 0): string {
  if (typeof input === 'string') return input
  if (typeof input === 'number' || typeof input === 'boolean') return String(input)
  if (!input || typeof input !== 'object' || depth > 50) return ''
  return Object.values(input)
    .map((value) => inputText(value, depth + 1))
    .join(' ')
}

/** The same, or all of the content of an event without text: to tell whether one version of an event contains another. */
export function comparableText(event: IonEvent): string {
  const text = eventText(event)
  if (text !== '') return text
  const { id: _id, seq: _seq, parent_id: _parent, timestamp: _time, ...content } = event
  return JSON.stringify('revises' in content ? { ...content, revises: undefined } : content)
}
