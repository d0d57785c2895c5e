import type { Message } from '../agents/write.ts'
import type { Block, Content, IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'

/** What was said and called, in order, and what each call gave. Everything that a handover promises. */
interface Said {
  readonly order: readonly string[]
  readonly results: ReadonlyMap<string, string>
}

/**
 * How the session that Ion reads from the target's store differs from the conversation that was written there; undefined if it
 * does not. Texts that follow each other count as one: agents join and split them.
 */
export function differs(messages: readonly Message[], events: Iterable<IonEvent>): string | undefined {
  const [wanted, found] = [saidIn(fromMessages(messages)), saidIn(fromEvents(events))]
  const at = wanted.order.findIndex((entry, index) => entry !== found.order[index])
  if (at >= 0)
    return `entry ${at + 1} of ${wanted.order.length} is ${brief(found.order[at])} instead of ${brief(wanted.order[at])}`
  if (found.order.length > wanted.order.length)
    return `there is more than was written: ${brief(found.order[wanted.order.length])}`
  for (const [id, result] of wanted.results) {
    const other = found.results.get(id)
    if (other !== result) return `the result of call ${id} is ${brief(other)} instead of ${brief(result)}`
  }
  return undefined
}

type Entry =
  | { readonly kind: 'prompt' | 'summary' | 'answer'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly text: string }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }

function* fromMessages(messages: readonly Message[]): Generator<Entry> {
  for (const message of messages) {
    if (message.role === 'user') {
      yield { kind: message.isSummary ? 'summary' : 'prompt', text: promptText([...message.content]) }
      continue
    }
    for (const block of message.content) {
      if (block.type === 'text') yield { kind: 'answer', text: block.text }
      else {
        yield { kind: 'call', id: block.id, text: `${block.name} ${stable(block.input)}` }
        yield { kind: 'result', id: block.id, text: block.output }
      }
    }
  }
}

function* fromEvents(events: Iterable<IonEvent>): Generator<Entry> {
  for (const event of events) {
    if (event.type === 'user') yield { kind: 'prompt', text: promptText(event.content) }
    else if (event.type === 'compaction') yield { kind: 'summary', text: event.summary }
    else if (event.type === 'assistant') yield* answersIn(event.content)
    else if (event.type === 'tool_use')
      yield { kind: 'call', id: event.id, text: `${event.name} ${stable(event.input)}` }
    else if (event.type === 'tool_result') yield { kind: 'result', id: event.tool_use_id, text: textOf(event.content) }
  }
}

/** Block by block, as messages have them. */
function* answersIn(content: Content): Generator<Entry> {
  const blocks = typeof content === 'string' ? [content] : content.map((block) => textOf([block]))
  for (const text of blocks) yield { kind: 'answer', text }
}

/** A summary may be read as a prompt: not every agent has a record for it. */
function saidIn(entries: Iterable<Entry>): Said {
  const order: string[] = []
  const results = new Map<string, string>()
  let last = ''
  for (const entry of entries) {
    const kind = entry.kind === 'summary' ? 'prompt' : entry.kind
    if (entry.kind === 'result') results.set(entry.id, entry.text)
    else if (entry.kind === 'call') order.push(`call ${entry.id} ${entry.text}`)
    else if (kind === last) order[order.length - 1] += `\n${entry.text.trim()}`
    else order.push(`${kind} ${entry.text.trim()}`)
    if (entry.kind !== 'result') last = kind
  }
  return { order, results }
}

/** Images last: some agents keep them beside the text. */
function promptText(content: Content): string {
  if (typeof content === 'string') return content
  const isImage = ({ type }: Block): boolean => type === 'image'
  return textOf([...content.filter((block) => !isImage(block)), ...content.filter(isImage)])
}

function textOf(content: Content): string {
  return contentText(content)
}

/** JSON with sorted keys: databases and agents reorder them. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function brief(text: string | undefined): string {
  return text === undefined ? 'missing' : JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
