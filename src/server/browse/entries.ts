import type { IonEvent } from '../../events/event.ts'
import { contentText } from '../../events/text.ts'
import type { BranchLink } from '../../export/branch.ts'
import type { ToolResult } from '../contract.ts'
import { noteText, partOf } from '../conversation.ts'
import type { TranscriptEntry } from './contract.ts'

/** Longer texts, inputs and results are cut in a window, which must stay small; see GET …/entries/<event>. */
const MAX_TEXT = 32 * 1024
const MAX_INPUT = 16 * 1024
const MAX_RESULT = 4096

/** Which entries are shown beside what was said and called. */
export interface EntryKinds {
  readonly thinking: boolean
  /** What the agent added to the conversation, and records that Ion does not know. */
  readonly system: boolean
}

/** Who sees an entry: everybody, or who asked for this kind. */
export type EntryKind = 'main' | keyof EntryKinds

/** What an event is in a transcript. A result belongs to the entry of its call. */
export interface EntryDigest {
  readonly link: BranchLink
  readonly entry?: TranscriptEntry
  readonly kind: EntryKind
  readonly result?: ToolResult
}

/** `isFull`: nothing is cut. */
export function entryDigest(event: IonEvent, isFull = false): EntryDigest {
  const { id, parent_id, type, sub_agent } = event
  const link = { id, parent_id, type, ...(sub_agent === undefined ? {} : { sub_agent }) }
  const [maxText, maxInput, maxResult] = isFull ? [1e9, 1e9, 1e9] : [MAX_TEXT, MAX_INPUT, MAX_RESULT]
  if (event.type === 'tool_result') {
    return { link, kind: 'main', result: partOf(event, maxResult) as ToolResult }
  }
  const shown = partAndKind(event)
  if (!shown) return { link, kind: 'main' }
  const cut = cutPart(shown.part, maxText, maxInput)
  const { model, token_usage: tokens, timestamp, timestamp_guessed } = event
  return {
    link,
    kind: shown.kind,
    entry: {
      event: id,
      role: shown.role,
      time: timestamp_guessed ? null : timestamp,
      part: cut.part,
      ...(model === undefined ? {} : { model }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(sub_agent === undefined ? {} : { within: sub_agent }),
      ...(cut.isCut ? { truncated: true } : {}),
    },
  }
}

type Part = TranscriptEntry['part']
type Shown = { readonly role: TranscriptEntry['role']; readonly kind: EntryKind; readonly part: Part }

function partAndKind(event: IonEvent): Shown | undefined {
  if (event.type === 'user') {
    return { role: 'user', kind: 'main', part: { type: 'text', text: contentText(event.content) } }
  }
  const part = partOf(event, 0)
  if (part) return { role: part.type === 'note' ? 'system' : 'agent', kind: kindOf(part), part }
  const note = (subtype: string, content: unknown): Shown => ({
    role: 'system',
    kind: 'system',
    part: { type: 'note', subtype, text: noteText(content) },
  })
  if (event.type === 'system') return note(event.subtype, event.content)
  if (event.type === 'native') return note('unknown record', event.record)
  if (event.type === 'session_end') return note(event.reason, event.summary ?? '')
  return undefined
}

function kindOf({ type }: Part): EntryKind {
  return type === 'thinking' ? 'thinking' : 'main'
}

function cutPart(part: Part, maxText: number, maxInput: number): { readonly part: Part; readonly isCut: boolean } {
  if (part.type === 'tool_use') {
    if (JSON.stringify(part.input ?? null).length <= maxInput) return { part, isCut: false }
    return { part: { ...part, input: cutValue(part.input, { left: maxInput }) }, isCut: true }
  }
  if (!('text' in part) || part.text.length <= maxText) return { part, isCut: false }
  return { part: { ...part, text: `${beginning(part.text, maxText)}…` }, isCut: true }
}

/** The same value with its texts cut, so that all of them together take what is left. */
function cutValue(value: unknown, room: { left: number }, depth = 0): unknown {
  if (typeof value === 'string') {
    const kept = beginning(value, Math.max(0, room.left))
    room.left -= kept.length
    return kept.length < value.length ? `${kept}…` : value
  }
  if (value === null || typeof value !== 'object') return value
  if (depth > 20 || room.left <= 0) return '…'
  room.left -= 2
  if (Array.isArray(value)) {
    const kept: unknown[] = []
    for (const one of value) {
      if (room.left <= 0) break
      kept.push(cutValue(one, room, depth + 1))
    }
    return kept
  }
  const kept: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(value)) {
    if (room.left <= 0) break
    room.left -= name.length
    kept[name] = cutValue(one, room, depth + 1)
  }
  return kept
}

/** Without half a surrogate pair at its end. */
function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

export function isShown(kind: EntryKind, kinds: EntryKinds): boolean {
  return kind === 'main' || kinds[kind]
}
