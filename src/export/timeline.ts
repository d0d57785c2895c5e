import type { Block, Content, EventOf, IonEvent } from '../events/schema.ts'
import type { Branches } from './branch.ts'
import { type CallView, json, type Sheet, viewCall } from './call-view.ts'
import { clean } from './clean.ts'
import { cutMiddle } from './cut.ts'

/** What a document shows, and how much of it. */
export interface TimelineOptions {
  /** Tool calls and results whole, however long. */
  readonly full: boolean
  readonly thinking: boolean
  /** What the agent added and nobody typed, and records that Ion does not know. */
  readonly system: boolean
  /** The conversation as it stands, or also what was left behind. */
  readonly branch: 'main' | 'all'
}

interface Told {
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

/** One thing after another, as a person reads it. Both documents are written from this. */
export type Entry =
  | (Told & { readonly kind: 'prompt'; readonly number: number; readonly blocks: readonly Block[] })
  | (Told & { readonly kind: 'answer'; readonly blocks: readonly Block[] })
  | (Told & { readonly kind: 'thinking'; readonly text: string })
  | (Told & { readonly kind: 'call'; readonly call: Call })
  | (Told & { readonly kind: 'late-result'; readonly result: Result })
  | (Told & { readonly kind: 'compaction'; readonly summary: string })
  | (Told & { readonly kind: 'system'; readonly name: string; readonly sheet: Sheet })
  | (Told & { readonly kind: 'end'; readonly reason: string; readonly summary: string | undefined })
  | { readonly kind: 'branch'; readonly main: boolean }

/** Calls that wait for their results. More than this, and they are told without: memory must not grow. */
const MOST_WAITING = 64

/** The events in reading order: each call together with its result, which may come several events later. */
export function* timelineOf(
  events: Iterable<IonEvent>,
  branches: Branches,
  options: TimelineOptions,
): Generator<Entry> {
  const waiting = new Map<string, Told & { kind: 'call'; call: Call }>()
  let open = 0
  let place = -1
  let number = 0
  let onMain = true

  function* settle(): Generator<Entry> {
    yield* waiting.values()
    waiting.clear()
    open = 0
  }

  for (const event of events) {
    place++
    const main = branches.isMain(place)
    if (!main && options.branch === 'main') continue
    if (main !== onMain) {
      yield* settle()
      yield { kind: 'branch', main }
      onMain = main
    }
    const told: Told = { time: event.timestamp, subAgent: event.sub_agent }
    if (event.type === 'tool_use') {
      if (waiting.size >= MOST_WAITING) yield* settle()
      waiting.set(event.id, { ...told, kind: 'call', call: toCall(event, options) })
      open++
      continue
    }
    if (event.type === 'tool_result') {
      const result: Result = { blocks: toBlocks(event.content, options), isError: event.is_error }
      const asked = waiting.get(event.tool_use_id)
      if (!asked || asked.call.result) {
        yield* settle()
        yield { ...told, kind: 'late-result', result }
        continue
      }
      waiting.set(event.tool_use_id, { ...asked, call: { ...asked.call, result } })
      if (--open === 0) yield* settle()
      continue
    }
    const scene = toScene(event, told, options, number + 1)
    if (!scene) continue
    yield* settle()
    if (scene.kind === 'prompt') number++
    yield scene
  }
  yield* settle()
}

function toScene(event: IonEvent, told: Told, options: TimelineOptions, number: number): Entry | undefined {
  switch (event.type) {
    case 'user':
      return { ...told, kind: 'prompt', number, blocks: toBlocks(event.content) }
    case 'assistant':
      return { ...told, kind: 'answer', blocks: toBlocks(event.content) }
    case 'thinking':
      return options.thinking ? { ...told, kind: 'thinking', text: clean(event.content) } : undefined
    case 'compaction':
      return { ...told, kind: 'compaction', summary: clean(event.summary) }
    case 'system':
      return options.system
        ? { ...told, kind: 'system', name: event.subtype, sheet: sheetOf(event.content, options) }
        : undefined
    case 'native':
      return options.system
        ? { ...told, kind: 'system', name: 'unknown record', sheet: sheetOf(event.record, options) }
        : undefined
    case 'session_end':
      return { ...told, kind: 'end', reason: event.reason, summary: event.summary }
    default:
      return undefined
  }
}

function toCall(event: EventOf<'tool_use'>, options: TimelineOptions): Call {
  const { summary, sheets } = viewCall(event.input)
  return {
    id: event.id,
    name: clean(event.name),
    summary,
    sheets: options.full ? sheets : sheets.map((sheet) => ({ ...sheet, text: cutMiddle(sheet.text) })),
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

function sheetOf(content: unknown, options: TimelineOptions): Sheet {
  const isText = typeof content === 'string'
  const text = clean(isText ? content : json(content))
  return { language: isText ? '' : 'json', text: options.full ? text : cutMiddle(text) }
}
