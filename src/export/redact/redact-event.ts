import type { IonEvent } from '../../events/schema.ts'
import type { Redactor } from './redactor.ts'

/** Fields without user data, which must stay valid. */
const structural: ReadonlySet<string> = new Set(['type', 'timestamp', 'session_id', 'agent', 'reason'])

/** No tool nests deeper. Values below this are not scanned, so they are replaced. */
const MAX_DEPTH = 1000
const TOO_DEEP = '[redacted: nested too deep]'

/** The event with every text masked; type and shape stay the same. Image data is not changed. */
export function redactEvent(event: IonEvent, redactor: Redactor): IonEvent {
  return redactValue(withoutFileBytes(event), redactor) as IonEvent
}

/** For the first pass: see Redactor.learn. */
export function learnEvent(event: IonEvent, redactor: Redactor): void {
  const texts: string[] = []
  collect(withoutFileBytes(event), texts, 0)
  redactor.learn(texts.join('\n'))
}

/** The bytes of a file cannot be scanned and may be a key: only its name is kept. */
function withoutFileBytes(event: IonEvent): IonEvent {
  if (event.type !== 'user' && event.type !== 'assistant' && event.type !== 'tool_result') return event
  const { content } = event
  if (typeof content === 'string' || !content.some((block) => block.type === 'file' && block.data)) return event
  const named = content.map((block) => {
    if (block.type !== 'file') return block
    const { data: _data, ...rest } = block
    return rest
  })
  return { ...event, content: named }
}

/** All texts of a JSON value in one batch, including keys, which can be paths. */
export function redactValue(value: unknown, redactor: Redactor): unknown {
  const texts: string[] = []
  const isComplete = collect(value, texts, 0)
  const masked = redactor.redactTexts(texts)
  if (isComplete && texts.every((text, index) => text === masked[index])) return value
  return rebuild(value, masked.values(), 0)
}

/** False when something is nested too deep to be scanned. */
function collect(value: unknown, texts: string[], depth: number): boolean {
  if (typeof value === 'string') texts.push(value)
  if (value === null || typeof value !== 'object') return true
  if (depth > MAX_DEPTH) return false
  let isComplete = true
  if (Array.isArray(value)) {
    for (const item of value) isComplete = collect(item, texts, depth + 1) && isComplete
    return isComplete
  }
  for (const [key, item] of Object.entries(value)) {
    texts.push(key)
    if (!isUnmasked(value, key, depth)) isComplete = collect(item, texts, depth + 1) && isComplete
  }
  return isComplete
}

/** Takes the masked texts in the order of `collect`. */
function rebuild(value: unknown, texts: Iterator<string>, depth: number): unknown {
  if (typeof value === 'string') return texts.next().value
  if (value === null || typeof value !== 'object') return value
  if (depth > MAX_DEPTH) return TOO_DEEP
  if (Array.isArray(value)) return value.map((item) => rebuild(item, texts, depth + 1))
  const entries = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    const masked = String(texts.next().value)
    let unique = masked
    // Two homes become one `~`: neither entry may be lost.
    for (let n = 2; entries.has(unique); n++) unique = `${masked} (${n})`
    entries.set(unique, isUnmasked(value, key, depth) ? item : rebuild(item, texts, depth + 1))
  }
  return Object.fromEntries(entries)
}

function isUnmasked(owner: object, key: string, depth: number): boolean {
  if (depth === 0) return structural.has(key)
  // Event, list of blocks, block.
  return depth === 2 && key === 'data' && (owner as { type?: unknown }).type === 'image'
}
