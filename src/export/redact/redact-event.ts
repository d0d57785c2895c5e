import type { IonEvent } from '../../events/schema.ts'
import type { Redactor } from './redactor.ts'

/** Fields that say what an event is and where it stands. They hold nothing of anybody's, and must stay valid. */
const structural: ReadonlySet<string> = new Set(['type', 'timestamp', 'session_id', 'agent', 'reason'])

/** Deeper than this no tool goes; further down nothing is looked at, so nothing may be let through. */
const DEEPEST = 1000
const TOO_DEEP = '[redacted: nested too deep]'

/** The event with every text in it masked: the same type, the same shape, still valid. Image data is left alone. */
export function redactEvent(event: IonEvent, redactor: Redactor): IonEvent {
  return redactValue(withoutFileBytes(event), redactor) as IonEvent
}

/** For a first reading of the session: see Redactor.learn. */
export function learnEvent(event: IonEvent, redactor: Redactor): void {
  const texts: string[] = []
  collect(withoutFileBytes(event), texts, 0)
  redactor.learn(texts.join('\n'))
}

/** The bytes of a file cannot be looked through, and may be those of a key: only its name goes on. */
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

/** All texts of a JSON value in one batch. Keys too: they can be paths. */
export function redactValue(value: unknown, redactor: Redactor): unknown {
  const texts: string[] = []
  const whole = collect(value, texts, 0)
  const masked = redactor.redactTexts(texts)
  if (whole && texts.every((text, index) => text === masked[index])) return value
  return rebuild(value, masked.values(), 0)
}

/** False when something lies too deep to be looked at. */
function collect(value: unknown, texts: string[], depth: number): boolean {
  if (typeof value === 'string') texts.push(value)
  if (value === null || typeof value !== 'object') return true
  if (depth > DEEPEST) return false
  let whole = true
  if (Array.isArray(value)) {
    for (const item of value) whole = collect(item, texts, depth + 1) && whole
    return whole
  }
  for (const [key, item] of Object.entries(value)) {
    texts.push(key)
    if (!isLeftAlone(value, key, depth)) whole = collect(item, texts, depth + 1) && whole
  }
  return whole
}

/** Takes the masked texts in the order in which `collect` gave them out. */
function rebuild(value: unknown, texts: Iterator<string>, depth: number): unknown {
  if (typeof value === 'string') return texts.next().value
  if (value === null || typeof value !== 'object') return value
  if (depth > DEEPEST) return TOO_DEEP
  if (Array.isArray(value)) return value.map((item) => rebuild(item, texts, depth + 1))
  const entries = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    const masked = String(texts.next().value)
    let unique = masked
    // Two homes become one `~`: neither entry may be lost.
    for (let n = 2; entries.has(unique); n++) unique = `${masked} (${n})`
    entries.set(unique, isLeftAlone(value, key, depth) ? item : rebuild(item, texts, depth + 1))
  }
  return Object.fromEntries(entries)
}

function isLeftAlone(owner: object, key: string, depth: number): boolean {
  if (depth === 0) return structural.has(key)
  // Event, list of blocks, block.
  return depth === 2 && key === 'data' && (owner as { type?: unknown }).type === 'image'
}
