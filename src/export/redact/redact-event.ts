import type { IonEvent } from '../../events/schema.ts'
import { strengthOf } from './names.ts'
import type { NamedText, Redactor } from './redactor.ts'

/** Fields without user data, which must stay valid. */
const structural: ReadonlySet<string> = new Set(['type', 'timestamp', 'session_id', 'agent', 'reason'])

/** No tool nests deeper. Values below this are not scanned, so they are replaced. */
const MAX_DEPTH = 1000
const TOO_DEEP = '[redacted: nested too deep]'

/** The event with every text masked; type and shape stay the same. Image data is not changed. */
export function redactEvent(event: IonEvent, redactor: Redactor): IonEvent {
  return redactValue(withoutFileBytes(event), redactor, contentName(event, redactor)) as IonEvent
}

/** For the first pass: see Redactor.learn. */
export function learnEvent(event: IonEvent, redactor: Redactor): void {
  const texts: NamedText[] = []
  collect(withoutFileBytes(event), texts, 0, contentName(event, redactor))
  redactor.learn(texts)
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

/** Files that hold one secret and nothing else. */
const SECRET_FILE =
  /(?:^|[\s/\\"'=])(?:master\.key|credentials[\w.-]*\.key|\.vault[-_]?(?:pass(?:word)?|token)|\.?vault_password(?:\.txt)?|[\w.-]*(?:password|passwd|secret|token|api[-_]?key|passphrase)(?:\.txt|\.key)?|run\/secrets\/[\w.-]+|secrets\/[\w.-]+|serviceaccount\/token)["'\s)]*$/i
const MAX_CALL = 2000

/** What a tool printed of such a file is a secret, without any name beside it. */
function contentName(event: IonEvent, redactor: Redactor): string | undefined {
  if (event.type === 'tool_use') {
    const input = event.input as { command?: unknown; file_path?: unknown; path?: unknown } | null
    for (const text of [input?.command, input?.file_path, input?.path]) {
      if (typeof text === 'string' && text.length < MAX_CALL && SECRET_FILE.test(text))
        redactor.secretCalls.add(event.id)
    }
  }
  return event.type === 'tool_result' && redactor.secretCalls.has(event.tool_use_id) ? 'file_secret' : undefined
}

/** All texts of a JSON value in one batch, including keys, which can be paths. */
export function redactValue(value: unknown, redactor: Redactor, contentName?: string): unknown {
  const texts: NamedText[] = []
  const isComplete = collect(value, texts, 0, contentName)
  const masked = redactor.redactTexts(texts)
  if (isComplete && texts.every(({ text }, index) => text === masked[index])) return value
  return rebuild(value, masked.values(), 0, contentName)
}

/** False when something is nested too deep to be scanned. `name`: of the field that holds the value. */
function collect(value: unknown, texts: NamedText[], depth: number, name: string | undefined): boolean {
  if (typeof value === 'string') texts.push({ text: value, name })
  else if (isSecretNumber(value, name)) texts.push({ text: String(value), name })
  if (value === null || typeof value !== 'object') return true
  if (depth > MAX_DEPTH) return false
  let isComplete = true
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      isComplete = collect(item, texts, depth + 1, nameOfItem(value, index, name)) && isComplete
    }
    return isComplete
  }
  for (const [key, item] of Object.entries(value)) {
    texts.push({ text: key })
    if (isUnmasked(value, key, depth)) continue
    isComplete = collect(item, texts, depth + 1, nameOfField(value, key, depth, name)) && isComplete
  }
  return isComplete
}

/** Takes the masked texts in the order of `collect`. */
function rebuild(value: unknown, texts: Iterator<string>, depth: number, name: string | undefined): unknown {
  if (typeof value === 'string') return texts.next().value
  if (isSecretNumber(value, name)) {
    const text = texts.next().value
    return text === String(value) ? value : text
  }
  if (value === null || typeof value !== 'object') return value
  if (depth > MAX_DEPTH) return TOO_DEEP
  if (Array.isArray(value)) {
    return value.map((item, index) => rebuild(item, texts, depth + 1, nameOfItem(value, index, name)))
  }
  const entries = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    const masked = String(texts.next().value)
    let unique = masked
    // Two homes become one `~`: neither entry may be lost.
    for (let n = 2; entries.has(unique); n++) unique = `${masked} (${n})`
    entries.set(
      unique,
      isUnmasked(value, key, depth) ? item : rebuild(item, texts, depth + 1, nameOfField(value, key, depth, name)),
    )
  }
  return Object.fromEntries(entries)
}

function isUnmasked(owner: object, key: string, depth: number): boolean {
  if (depth === 0) return structural.has(key)
  // Event, list of blocks, block.
  return depth === 2 && key === 'data' && (owner as { type?: unknown }).type === 'image'
}

/** A password that JSON takes for a number. */
function isSecretNumber(value: unknown, name: string | undefined): value is number {
  return (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= 1000 &&
    name !== undefined &&
    strengthOf(name) === 'strong'
  )
}

/** Fields that hold the value of what another field names. */
const VALUE_FIELDS: ReadonlySet<string> = new Set([
  'value',
  'Value',
  'val',
  'default',
  'plaintext',
  'secretString',
  'SecretString',
])
const NAME_FIELDS = ['name', 'Name', 'key', 'Key', 'id', 'field', 'variable', 'ParameterKey', 'header'] as const
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'text',
  'file_text',
  'new_string',
  'old_string',
  'data',
])

function nameOfField(owner: object, key: string, depth: number, outer: string | undefined): string | undefined {
  const fields = owner as Readonly<Record<string, unknown>>
  // A Kubernetes secret: whatever the names of its values.
  if ((key === 'data' || key === 'stringData') && fields.kind === 'Secret') return 'kubernetes_secret'
  if (outer === 'kubernetes_secret') return outer
  if (VALUE_FIELDS.has(key)) {
    for (const field of NAME_FIELDS) {
      const name = fields[field]
      if (typeof name === 'string' && strengthOf(name) !== undefined) return name
    }
    return outer
  }
  if (TEXT_FIELDS.has(key)) {
    if (outer === 'file_secret' && depth <= 3) return outer
    const path = fields.file_path ?? fields.path
    return typeof path === 'string' && path.length < MAX_CALL && SECRET_FILE.test(path) ? 'file_secret' : undefined
  }
  return depth === 0 ? undefined : key
}

/** `["--password", "…"]` and `["Authorization", "…"]`; else the name of the list. */
function nameOfItem(list: readonly unknown[], index: number, name: string | undefined): string | undefined {
  const before = list[index - 1]
  if (typeof before === 'string' && (/^--?[A-Za-z]/.test(before) || list.length === 2)) return before.replace(/^-+/, '')
  return name
}
