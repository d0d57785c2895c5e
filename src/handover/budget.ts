import type { Message, ToolCall } from '../agents/write.ts'
import type { Losses } from './report.ts'

/** Bytes per token: about right for English and code, too careful for other scripts. */
const BYTES_PER_TOKEN = 4
/** What providers count for a large image. */
const IMAGE_TOKENS = 1600
/** A message has more than its text: role, ids, names. */
const MESSAGE_TOKENS = 8

/** How long outputs of tools may be, tried in this order until the conversation fits. */
const LIMITS = [64_000, 32_000, 16_000, 8000, 4000, 2000, 1000]

export interface Fitted {
  readonly messages: readonly Message[]
  readonly tokens: number
  /** Messages that had to be left out although outputs were shortened. */
  readonly dropped: number
  /** Results that lost their middle. */
  readonly shortened: number
}

/** Makes a conversation fit: first outputs of tools lose their middle, then the oldest turns after the first prompt go. */
export function fitBudget(messages: readonly Message[], budget: number, losses: Losses): Fitted {
  const tokens = tokensOf(messages)
  if (tokens <= budget) return { messages, tokens, dropped: 0, shortened: 0 }
  const sizes = outputSizes(messages)
  const limit = LIMITS.find((one) => tokens - saved(sizes, one) <= budget) ?? LIMITS.at(-1)!
  const shorter = messages.map((message) => shortened(message, limit))
  const isDropped = leftOut(shorter, budget)
  const kept = messages.filter((_, index) => !isDropped[index])
  const dropped = messages.filter((_, index) => isDropped[index])
  const cut = outputSizes(kept).filter((size) => size > limit).length
  losses.add('shortened', 'result', 'to fit the budget', cut)
  losses.add('dropped', 'event of the oldest turns', 'to fit the budget', eventsIn(dropped))
  const fitted = dropped.length === 0 ? shorter : withNote(shorter, isDropped, dropped.length)
  return { messages: fitted, tokens: tokensOf(fitted), dropped: dropped.length, shortened: cut }
}

/** How many events of the source they were: a call and its result are two. */
function eventsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, { role, content }) => {
    if (role === 'user') return sum + 1
    return sum + content.reduce((count, block) => count + (block.type === 'call' ? 2 : 1), 0)
  }, 0)
}

/**
 * Counts the results that the agent will shorten for its model although they are stored completely. Those that were shortened
 * to fit the budget are counted already: the longest ones are.
 */
export function noteShortenedByAgent(
  { messages, shortened }: Fitted,
  { title, sendsUpTo }: { readonly title: string; readonly sendsUpTo: number },
  losses: Losses,
): void {
  const long = callsOf(messages).filter(({ output }) => Buffer.byteLength(output) > sendsUpTo).length
  const reason = `stored completely, but ${title} sends its model only the beginning and the end of results over ${sendsUpTo / 1000} KB`
  losses.add('shortened', 'result', reason, Math.max(0, long - shortened))
}

function outputSizes(messages: readonly Message[]): number[] {
  return callsOf(messages).map(({ output }) => output.length)
}

function callsOf(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((message) =>
    message.role === 'user' ? [] : message.content.filter((block) => block.type === 'call'),
  )
}

function saved(sizes: readonly number[], limit: number): number {
  return sizes.reduce((sum, size) => sum + Math.max(0, size - limit), 0) / BYTES_PER_TOKEN
}

function shortened(message: Message, limit: number): Message {
  if (
    message.role === 'user' ||
    !message.content.some((block) => block.type === 'call' && block.output.length > limit)
  ) {
    return message
  }
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === 'call' ? { ...block, output: withoutMiddle(block.output, limit) } : block,
    ),
  }
}

/** Two thirds from the beginning, one from the end: errors are mostly at the end, headings at the beginning. */
export function withoutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = wholeCharacters(text.slice(0, Math.floor((limit * 2) / 3)))
  const tail = wholeCharacters(text.slice(text.length - Math.floor(limit / 3)))
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}

/** Without half a character at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '')
}

/**
 * The first prompt says what it is all about, and the end what is being done: what is between them goes first, turn by turn.
 * Of a last turn that is too long by itself, its prompt stays and its oldest answers go.
 */
function leftOut(messages: readonly Message[], budget: number): Uint8Array {
  const isDropped = new Uint8Array(messages.length)
  const tokens = messages.map((message) => tokensOf([message]))
  let total = tokens.reduce((sum, one) => sum + one, 0)
  const drop = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      isDropped[at] = 1
      total -= tokens[at]!
    }
  }
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1]
    if (total <= budget || next === undefined) break
    drop(index === 0 ? 1 : start, next)
  }
  for (let at = starts.at(-1)! + 1; at < messages.length - 1 && total > budget; at++) drop(at, at + 1)
  return isDropped
}

/** Where messages are missing the model reads so: in an answer, since it would take a prompt for a wish. */
function withNote(messages: readonly Message[], isDropped: Uint8Array, count: number): Message[] {
  const first = isDropped.indexOf(1)
  const text = `[${count} earlier messages are not part of this handover]`
  return messages.flatMap((message, index): Message[] => {
    if (!isDropped[index]) return [message]
    const { id, timestamp } = message
    if (index !== first) return []
    return [{ role: 'assistant', id: `${id}-left-out`, timestamp, model: null, content: [{ type: 'text', text }] }]
  })
}

/** An estimate. */
export function tokensOf(messages: readonly Message[]): number {
  let bytes = 0
  let others = 0
  for (const message of messages) {
    others += MESSAGE_TOKENS
    for (const block of message.content) {
      if (block.type === 'text') bytes += Buffer.byteLength(block.text)
      else if (block.type === 'image') others += IMAGE_TOKENS
      else bytes += Buffer.byteLength(block.output) + Buffer.byteLength(JSON.stringify(block.input)) + block.name.length
    }
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN + others)
}
