import type { Block, Content, EventOf, IonEvent } from '../events/schema.ts'
import type { Branches } from './branch.ts'
import { prettyJson } from './call-summary.ts'
import { type CallView, type CodeBlock, viewCall } from './call-view.ts'
import { clean } from './clean.ts'
import { cutMiddle } from './cut.ts'

/** What a document shows, and how much of it. */
export interface TimelineOptions {
  /** Tool calls and results in full, however long. */
  readonly full: boolean
  readonly thinking: boolean
  /** Messages that the agent added, and records of unknown kinds. */
  readonly system: boolean
  /** The main branch: the most recently continued one; or all. */
  readonly branch: 'main' | 'all'
}

interface EntryContext {
  readonly time: string
  readonly subAgent: string | undefined
}

export interface Call extends CallView {
  readonly id: string
  readonly name: string
  readonly result?: Result
}

export interface Result {
  readonly blocks: readonly Block[]
  readonly isError: boolean
}

/** An element of the conversation as a person reads it. Both documents are written from these. */
export type Entry =
  | (EntryContext & { readonly kind: 'prompt'; readonly number: number; readonly blocks: readonly Block[] })
  | (EntryContext & { readonly kind: 'answer'; readonly blocks: readonly Block[] })
  | (EntryContext & { readonly kind: 'thinking'; readonly text: string })
  | (EntryContext & { readonly kind: 'call'; readonly call: Call })
  | (EntryContext & { readonly kind: 'late-result'; readonly result: Result })
  | (EntryContext & { readonly kind: 'compaction'; readonly summary: string })
  | (EntryContext & { readonly kind: 'system'; readonly name: string; readonly code: CodeBlock })
  | (EntryContext & { readonly kind: 'end'; readonly reason: string; readonly summary: string | undefined })
  | { readonly kind: 'branch'; readonly main: boolean }

/** Calls that wait for their results. When there are more, they are shown without them, so that memory stays bounded. */
const MAX_PENDING = 64

/**
 * The events in reading order, each call together with its result, which may come several events later. Yields undefined
 * for each event read, so that a caller can pause however many are left out.
 */
export function* timelineOf(
  events: Iterable<IonEvent>,
  branches: Branches,
  options: TimelineOptions,
): Generator<Entry | undefined> {
  const pending = new Map<string, EntryContext & { kind: 'call'; call: Call }>()
  let open = 0
  let place = -1
  let number = 0
  let onMain = true

  function* flush(): Generator<Entry> {
    yield* pending.values()
    pending.clear()
    open = 0
  }

  for (const event of events) {
    yield undefined
    place++
    const main = branches.isMain(place)
    if (!main && options.branch === 'main') continue
    if (main !== onMain) {
      yield* flush()
      yield { kind: 'branch', main }
      onMain = main
    }
    const context: EntryContext = { time: event.timestamp, subAgent: event.sub_agent }
    if (event.type === 'tool_use') {
      if (pending.size >= MAX_PENDING) yield* flush()
      pending.set(event.id, { ...context, kind: 'call', call: toCall(event, options) })
      open++
      continue
    }
    if (event.type === 'tool_result') {
      const result: Result = { blocks: toBlocks(event.content, options), isError: event.is_error }
      const call = pending.get(event.tool_use_id)
      if (!call || call.call.result) {
        yield* flush()
        yield { ...context, kind: 'late-result', result }
        continue
      }
      pending.set(event.tool_use_id, { ...call, call: { ...call.call, result } })
      if (--open === 0) yield* flush()
      continue
    }
    const entry = toEntry(event, context, options, number + 1)
    if (!entry) continue
    yield* flush()
    if (entry.kind === 'prompt') number++
    yield entry
  }
  yield* flush()
}

function toEntry(event: IonEvent, context: EntryContext, options: TimelineOptions, number: number): Entry | undefined {
  switch (event.type) {
    case 'user':
      return { ...context, kind: 'prompt', number, blocks: toBlocks(event.content) }
    case 'assistant':
      return { ...context, kind: 'answer', blocks: toBlocks(event.content) }
    case 'thinking':
      return options.thinking ? { ...context, kind: 'thinking', text: clean(event.content) } : undefined
    case 'compaction':
      return { ...context, kind: 'compaction', summary: clean(event.summary) }
    case 'system':
      return options.system
        ? { ...context, kind: 'system', name: event.subtype, code: codeOf(event.content, options) }
        : undefined
    case 'native':
      return options.system
        ? { ...context, kind: 'system', name: 'unknown record', code: codeOf(event.record, options) }
        : undefined
    case 'session_end':
      return { ...context, kind: 'end', reason: event.reason, summary: event.summary && clean(event.summary) }
    default:
      return undefined
  }
}

function toCall(event: EventOf<'tool_use'>, options: TimelineOptions): Call {
  const { summary, blocks } = viewCall(event.input)
  return {
    id: event.id,
    name: clean(event.name),
    summary,
    blocks: options.full ? blocks : blocks.map((block) => ({ ...block, text: cutMiddle(block.text) })),
  }
}

function toBlocks(content: Content, cut?: TimelineOptions): Block[] {
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return blocks.map((block) => {
    if (block.type !== 'text') return block
    const text = clean(block.text)
    return { type: 'text', text: cut && !cut.full ? cutMiddle(text) : text }
  })
}

function codeOf(content: unknown, options: TimelineOptions): CodeBlock {
  const isText = typeof content === 'string'
  const text = clean(isText ? content : prettyJson(content))
  return { language: isText ? '' : 'json', text: options.full ? text : cutMiddle(text) }
}
