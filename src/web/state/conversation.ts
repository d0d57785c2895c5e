import { batch, signal } from '@preact/signals'
import type { Message, MessagePreview } from '../api/contract.ts'
import { getMessage, getMessages } from '../api/server.ts'

/** Messages per request; the newest are loaded first, older ones while scrolling up. */
const PAGE = 40

/** Sorted by id, without gaps from the oldest loaded to the newest message. */
export const messages = signal<readonly Message[]>([])
/** Whether the server may have older messages. */
export const hasOlder = signal(false)
export const isLoaded = signal(false)
/** What the agent is writing, as its terminal shows it, until that is in a message. */
export const preview = signal<MessagePreview | undefined>(undefined)
/** Truncated results that were then loaded in full, by the id of their call. */
export const fullResults = signal<ReadonlyMap<string, string>>(new Map())

/** Applies changes by id; undefined means that the message was removed. */
export function applyChanges(changes: ReadonlyMap<number, Message | undefined>): void {
  // A message older than what is loaded would leave a gap; it comes with its page.
  const first = hasOlder.value ? (messages.value[0]?.id ?? 0) : 0
  const updates = [...changes.values()].flatMap((message) => (message && message.id >= first ? [message] : []))
  const isRemoved = ({ id }: Message): boolean => changes.has(id) && changes.get(id) === undefined
  const kept = messages.value.filter((message) => !isRemoved(message))
  if (updates.length > 0 || kept.length < messages.value.length) messages.value = merged(kept, updates)
  if (messages.value.length === 0 && hasOlder.value) loadNewest().catch(() => undefined)
}

/** After a reconnect: removes messages that the server no longer has. New ones come with the events. */
export async function dropRemoved(): Promise<void> {
  const newest = await getMessages(PAGE)
  const from = newest.length < PAGE ? 0 : newest[0]!.id
  messages.value = stillPresent(messages.value, newest, from)
}

export async function loadNewest(): Promise<void> {
  const page = await getMessages(PAGE)
  batch(() => {
    messages.value = merged(messages.value, page)
    hasOlder.value = page.length >= PAGE
    isLoaded.value = true
  })
}

let loading: Promise<void> | undefined

/** Loads one page before the oldest message. Concurrent calls share one request. */
export function loadOlder(): Promise<void> {
  loading ??= older(PAGE).finally(() => {
    loading = undefined
  })
  return loading
}

async function older(limit: number): Promise<void> {
  const first = messages.value[0]?.id
  if (first === undefined || !hasOlder.value) return
  const page = await getMessages(limit, first)
  batch(() => {
    hasOlder.value = page.length >= limit
    messages.value = merged(messages.value, page)
  })
}

/** Loads everything between the oldest loaded message and this one. */
export async function loadBackTo(id: number): Promise<void> {
  await loading
  while (hasOlder.value && (messages.value[0]?.id ?? 0) > id) await older(PAGE * 5)
}

export async function loadFullResults(messageId: number): Promise<void> {
  const message = await getMessage(messageId)
  const full = new Map(fullResults.value)
  for (const part of message?.parts ?? []) if (part.type === 'tool_result') full.set(part.tool_use_id, part.content)
  fullResults.value = full
}

/** Both sorted by id; a message of `updates` replaces the one with its id. Additions at the end need no sorting. */
export function merged(known: readonly Message[], updates: readonly Message[]): readonly Message[] {
  const newest = known.at(-1)?.id ?? -1
  if (updates.every(({ id }, index) => id > (updates[index - 1]?.id ?? newest))) return [...known, ...updates]
  const byId = new Map(known.map((message) => [message.id, message]))
  for (const message of updates) byId.set(message.id, message)
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

/** The messages of `known` that the server still has; `present` are its messages from the id `from` on. */
export function stillPresent(known: readonly Message[], present: readonly Message[], from: number): readonly Message[] {
  const ids = new Set(present.map(({ id }) => id))
  return known.filter(({ id }) => id < from || ids.has(id))
}
