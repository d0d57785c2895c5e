import { createHash } from 'node:crypto'
import type { AssistantMessage, Message, ToolCall, UserMessage } from '../agents/write.ts'
import type { Block, Content, ImageBlock, IonEvent, TextBlock } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { isTooDeep } from '../native/json-lines.ts'
import { Losses } from './report.ts'

/** What the target takes, and what the user wants. */
export interface Form {
  readonly calls: 'kept' | 'text'
  readonly images: boolean
  readonly thinking: 'drop' | 'text'
}

/** The result of a call whose agent was stopped before it came. Every provider refuses a call without one. */
export const NO_RESULT = '(no result: the tool was interrupted)'

/** Parsers of agents and providers stop at 128 levels, in which the message around the input counts. */
const MAX_INPUT_DEPTH = 100

/** Before the summary of a compaction, so that a model does not take it for a wish. */
const SUMMARY = 'Summary of the conversation so far:\n\n'

/**
 * Events as the conversation that a model API takes (see Message): calls with their results, ids that every provider accepts,
 * no blank text, nothing signed or sealed by another provider.
 */
export function toConversation(events: readonly IonEvent[], form: Form, losses: Losses): Message[] {
  const builder = new Builder(form, losses)
  for (const event of events) builder.add(event)
  return builder.finish()
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
interface OpenCall extends Mutable<ToolCall> {
  isAnswered: boolean
}
interface OpenAnswer extends Omit<AssistantMessage, 'content'> {
  readonly content: (TextBlock | OpenCall)[]
}

class Builder {
  readonly #form: Form
  readonly #losses: Losses
  readonly #messages: (UserMessage | OpenAnswer)[] = []
  readonly #ids: CallIds
  /** The last call with each of the source's ids. */
  readonly #calls = new Map<string, OpenCall>()
  #answer: OpenAnswer | undefined

  constructor(form: Form, losses: Losses) {
    this.#form = form
    this.#losses = losses
    // Where calls become text, nobody needs their ids.
    this.#ids = new CallIds(form.calls === 'kept' ? losses : new Losses())
  }

  add(event: IonEvent): void {
    switch (event.type) {
      case 'user':
        this.#user(event.id, event.timestamp, this.#blocks(event.content))
        break
      case 'compaction':
        this.#user(event.id, event.timestamp, this.#textBlocks(event.summary && SUMMARY + event.summary), true)
        break
      case 'assistant':
        this.#say(event, this.#blocks(event.content))
        break
      case 'thinking':
        this.#thinking(event)
        break
      case 'tool_use':
        this.#call(event.id, event.name, event.input, event)
        break
      case 'tool_result':
        this.#result(event.tool_use_id, event.content, event.is_error, event)
        break
      case 'system':
        this.#losses.add('dropped', 'notice', 'added by the agent for its own model')
        break
      case 'native':
        this.#losses.add('dropped', 'record', 'of a kind that Ion does not know')
        break
      default:
    }
  }

  finish(): Message[] {
    for (const message of this.#messages) {
      if (message.role === 'user') continue
      for (const call of message.content) {
        if (call.type === 'call' && !call.isAnswered) this.#changedCall('it had no result')
      }
    }
    const messages = this.#messages.map(
      (message): Message => (message.role === 'user' ? message : this.#closed(message)),
    )
    if (messages[0]?.role !== 'assistant') return messages
    // Every provider wants the user's message first.
    const { timestamp } = messages[0]
    const text = '(the conversation begins with an answer)'
    return [
      { role: 'user', id: 'ion-first', timestamp, content: [{ type: 'text', text }], isSummary: true },
      ...messages,
    ]
  }

  #closed({ content, ...message }: OpenAnswer): AssistantMessage {
    if (this.#form.calls === 'kept') {
      return {
        ...message,
        content: content.map((block): TextBlock | ToolCall => {
          if (block.type === 'text') return block
          const { isAnswered: _, ...call } = block
          return call
        }),
      }
    }
    return {
      ...message,
      content: content.map((block) => (block.type === 'text' ? block : { type: 'text', text: callText(block) })),
    }
  }

  #user(id: string, timestamp: string, content: UserMessage['content'], isSummary = false): void {
    this.#answer = undefined
    if (content.length === 0) this.#losses.add('dropped', 'prompt', 'empty')
    else this.#messages.push({ role: 'user', id, timestamp, content, ...(isSummary ? { isSummary } : {}) })
  }

  #thinking(event: IonEvent & { readonly type: 'thinking' }): void {
    if (this.#form.thinking === 'drop' || isBlank(event.content)) {
      this.#losses.add('dropped', 'thinking', 'bound to the model and account that made it')
      return
    }
    this.#losses.add('text', 'thinking', '--thinking text')
    this.#say(event, this.#textBlocks(`[thinking]\n${event.content}`))
  }

  #say(event: IonEvent, blocks: readonly (TextBlock | ImageBlock)[]): void {
    const texts = blocks.map((block): TextBlock => (block.type === 'text' ? block : this.#imageText(block)))
    if (texts.length === 0) this.#losses.add('dropped', 'answer', 'empty')
    else this.#openAnswer(event).content.push(...texts)
  }

  #call(id: string, name: string, input: unknown, event: IonEvent): void {
    const answer = this.#openAnswer(event)
    const isObject = input !== null && typeof input === 'object' && !Array.isArray(input)
    const isDeep = isObject && isTooDeep(input, MAX_INPUT_DEPTH)
    if (!isObject) this.#changedCall('its input was not an object')
    if (isDeep) this.#changedCall(`its input was nested more than ${MAX_INPUT_DEPTH} levels deep`)
    if (this.#form.calls === 'text') this.#losses.add('text', 'call', "the target's sessions have no tool calls")
    const call: OpenCall = {
      type: 'call',
      id: this.#ids.of(id),
      name: name === '' ? 'unknown' : name,
      input: this.#wellFormed<ToolCall['input']>(
        isObject && !isDeep ? { ...input } : { input: isDeep ? JSON.stringify(input) : input },
      ),
      output: NO_RESULT,
      isError: true,
      timestamp: event.timestamp,
      isAnswered: false,
    }
    this.#calls.set(id, call)
    answer.content.push(call)
  }

  /** A call that becomes text counts as that alone. */
  #changedCall(reason: string): void {
    if (this.#form.calls === 'kept') this.#losses.add('changed', 'call', reason)
  }

  #result(id: string, content: Content, isError: boolean, event: IonEvent): void {
    const call = this.#calls.get(id)
    const output = this.#outputText(content)
    if (!call || call.isAnswered) {
      this.#losses.add('text', 'result', call ? 'a second result of its call' : 'its call is not in the conversation')
      if (!isBlank(output)) this.#say(event, this.#textBlocks(`[result of a tool]\n${output}`))
      return
    }
    if (this.#form.calls === 'text') this.#losses.add('text', 'result', "the target's sessions have no tool calls")
    call.output = output
    call.isError = isError
    call.timestamp = event.timestamp
    call.isAnswered = true
  }

  /** What the model says or calls after it got results is a new message. */
  #openAnswer({ id, timestamp, model }: IonEvent): OpenAnswer {
    const isOver = this.#answer?.content.some((block) => block.type === 'call' && block.isAnswered) ?? true
    if (!this.#answer || isOver) {
      this.#answer = { role: 'assistant', id, timestamp, model: model ?? null, content: [] }
      this.#messages.push(this.#answer)
    }
    return this.#answer
  }

  #blocks(content: Content): (TextBlock | ImageBlock)[] {
    const blocks: readonly Block[] = typeof content === 'string' ? this.#textBlocks(content) : content
    return blocks.flatMap((block): (TextBlock | ImageBlock)[] => {
      if (block.type === 'text') return this.#textBlocks(block.text)
      if (block.type === 'image') return [this.#form.images && isAccepted(block) ? block : this.#imageText(block)]
      this.#losses.add('text', 'file', 'only its path is kept')
      return [{ type: 'text', text: `[file ${block.path}]` }]
    })
  }

  #imageText(image: ImageBlock): TextBlock {
    this.#losses.add('text', 'image', 'only its type is kept')
    return { type: 'text', text: contentText([image]) }
  }

  #outputText(content: Content): string {
    if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) {
      this.#losses.add('text', 'image', 'in the result of a tool: only its type is kept')
    }
    return this.#wellFormed(contentText(content))
  }

  #textBlocks(text: string): TextBlock[] {
    return isBlank(text) ? [] : [{ type: 'text', text: this.#wellFormed(text) }]
  }

  /** Without half characters, of which JSON makes something that parsers refuse. */
  #wellFormed<T>(value: T): T {
    const [whole, count] = withoutHalves(value)
    this.#losses.add('changed', 'character', 'only half of it was stored', count)
    return whole
  }
}

/** A text, or all texts in a value, with a replacement for every half character; and how many there were. */
function withoutHalves<T>(value: T): [T, number] {
  let count = 0
  const fixed = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return inner.replace(/\p{Surrogate}/gu, () => {
        count++
        return '\ufffd'
      })
    }
    if (Array.isArray(inner)) return inner.map(fixed)
    if (inner === null || typeof inner !== 'object') return inner
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [fixed(key), fixed(one)]))
  }
  return [fixed(value) as T, count]
}

/** With every text as the target's store can hold it. */
export function withTexts(
  messages: readonly Message[],
  storable: (text: string) => string,
  losses: Losses,
): readonly Message[] {
  const changed = (text: string): string => {
    const stored = storable(text)
    if (stored !== text) losses.add('changed', 'text', 'line ends and control characters that the target cannot store')
    return stored
  }
  const block = <T extends TextBlock | ImageBlock | ToolCall>(one: T): T => {
    if (one.type === 'text') return { ...one, text: changed(one.text) }
    return one.type === 'call' ? { ...one, output: changed(one.output) } : one
  }
  return messages.map(
    (message): Message =>
      message.role === 'user'
        ? { ...message, content: message.content.map(block) }
        : { ...message, content: message.content.map(block) },
  )
}

/** A call and its result as an answer's text. */
function callText({ name, input, output, isError }: ToolCall): string {
  return `[tool ${name}] ${JSON.stringify(input)}\n[${isError ? 'failed' : 'result'}]\n${output}`
}

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Whether every provider accepts it, and a store keeps its type. */
function isAccepted({ media_type, data }: ImageBlock): boolean {
  return data !== undefined && media_type !== null && IMAGES.has(media_type)
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

const VALID = /^[A-Za-z0-9_-]{1,64}$/

/** Anthropic takes only these signs, OpenAI only so many. */
export function isAcceptedCallId(id: string): boolean {
  return VALID.test(id)
}

/** Ids of calls that every provider accepts: the source's own where it is one, else always the same one made from it. */
class CallIds {
  readonly #losses: Losses
  readonly #taken = new Set<string>()

  constructor(losses: Losses) {
    this.#losses = losses
  }

  of(id: string): string {
    let valid = isAcceptedCallId(id) ? id : hashed(id)
    for (let n = 2; this.#taken.has(valid); n++) valid = hashed(`${id}\n${n}`)
    this.#taken.add(valid)
    if (valid !== id) {
      this.#losses.add('changed', 'id of a call', 'providers refuse it: too long, other signs, or not unique')
      this.#losses.callIds.set(id, valid)
    }
    return valid
  }
}

function hashed(id: string): string {
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`
}
