import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { BranchFinder, type BranchLink } from '../export/branch.ts'
import { callSummary } from '../export/call-summary.ts'
import type { Part, ToolUse } from './contract.ts'
import { type Draft, textMessage } from './message.ts'

/** Longer tool results are truncated: a page of messages must stay small. */
const MAX_RESULT = 4096
/** Of what a call is about, in its line. */
const MAX_CALL = 200

/** What an event becomes. */
type Entry =
  | { readonly kind: 'user'; readonly draft: Draft }
  | { readonly kind: 'part'; readonly part: Part; readonly time: string }
  /** The turn ended without an answer. */
  | { readonly kind: 'end' }

/** All that a conversation needs of an event: much less than the event, where results are long. */
export interface EventDigest {
  readonly link: BranchLink
  /** Undefined when the event is not part of the conversation. */
  readonly entry: Entry | undefined
}

export function digestOf(event: IonEvent, maxResult: number = MAX_RESULT): EventDigest {
  const { id, parent_id, type, sub_agent } = event
  return {
    link: { id, parent_id, type, ...(sub_agent === undefined ? {} : { sub_agent }) },
    entry: entryOf(event, maxResult),
  }
}

function entryOf(event: IonEvent, maxResult: number): Entry | undefined {
  // A sub-agent talks to its parent, not to the user.
  if (event.sub_agent !== undefined) return undefined
  if (event.type === 'user') {
    const said = textMessage('user', contentText(event.content))
    return { kind: 'user', draft: { key: event.id, time: event.timestamp, ...said } }
  }
  if (event.type === 'session_end') return { kind: 'end' }
  const part = partOf(event, maxResult)
  return part && { kind: 'part', part, time: event.timestamp }
}

/** System events that a reader of the chat must see. */
const NOTES = new Set(['interrupted', 'api_error'])

/** Turns the events of a session into messages: one for each prompt, and one for everything the agent did until the next. */
export class Conversation {
  readonly #branches = new BranchFinder()
  readonly #entries: { readonly place: number; readonly entry: Entry }[] = []
  readonly #maxResult: number
  #place = 0
  #prompts = 0

  constructor(maxResult: number = MAX_RESULT) {
    this.#maxResult = maxResult
  }

  /** The number of prompts, on all branches. */
  get prompts(): number {
    return this.#prompts
  }

  /** The number of entries, on all branches. */
  get size(): number {
    return this.#entries.length
  }

  /** Adds the next event of the transcript. */
  add(event: IonEvent): void {
    this.addDigest(digestOf(event, this.#maxResult))
  }

  addDigest({ link, entry }: EventDigest): void {
    this.#branches.add(link)
    const place = this.#place++
    if (entry?.kind === 'user') this.#prompts++
    if (entry) this.#entries.push({ place, entry })
  }

  /** The messages of the current branch: without what the user has rewound. */
  drafts(): Draft[] {
    const { isMain } = this.#branches.finish()
    const drafts: Draft[] = []
    let turn: Turn | undefined
    let owner = ''
    const endTurn = (isLast: boolean): void => {
      if (turn) drafts.push(agentDraft(turn, owner, isLast))
      turn = undefined
    }
    for (const { place, entry } of this.#entries) {
      if (!isMain(place)) continue
      if (entry.kind === 'user') {
        endTurn(false)
        owner = entry.draft.key
        drafts.push(entry.draft)
      } else if (entry.kind === 'end') {
        if (turn) turn.isOver = true
      } else {
        turn ??= { parts: [], time: entry.time, isOver: false }
        turn.parts.push(entry.part)
        turn.isOver = entry.part.type === 'text' || entry.part.type === 'note'
      }
    }
    endTurn(true)
    return drafts
  }
}

interface Turn {
  readonly parts: Part[]
  readonly time: string
  isOver: boolean
}

/** The key of a turn: that of the prompt which it answers stays the same while it grows. */
export function answerKey(prompt: string): string {
  return `>${prompt}`
}

function agentDraft({ parts, time, isOver }: Turn, owner: string, isLast: boolean): Draft {
  const done = !isLast || isOver
  return { key: answerKey(owner), role: 'agent', content: textOf(parts), time, parts, done }
}

/** What was said, and one line for each tool call: all that clients of AgentAPI see of the turn. */
function textOf(parts: readonly Part[]): string {
  const paragraphs: { readonly isCalls: boolean; text: string }[] = []
  for (const part of parts) {
    const last = paragraphs.at(-1)
    if (part.type === 'text') paragraphs.push({ isCalls: false, text: part.text })
    else if (part.type !== 'tool_use') continue
    else if (last?.isCalls) last.text += `\n${callLine(part)}`
    else paragraphs.push({ isCalls: true, text: callLine(part) })
  }
  return paragraphs.map(({ text }) => text).join('\n\n')
}

function callLine({ name, input }: ToolUse): string {
  const summary = truncate(callSummary(input), MAX_CALL).replace(/\s+/g, ' ').trim()
  return summary === '' ? `● ${name}` : `● ${name}(${summary})`
}

function partOf(event: IonEvent, maxResult: number): Part | undefined {
  switch (event.type) {
    case 'assistant': {
      const text = contentText(event.content)
      return text.trim() === '' ? undefined : { type: 'text', text }
    }
    case 'thinking':
      return event.content.trim() === '' ? undefined : { type: 'thinking', text: event.content }
    case 'tool_use':
      return { type: 'tool_use', id: event.id, name: event.name, input: event.input, ...timeOf(event) }
    case 'tool_result': {
      const [tool_use_id, is_error] = [event.tool_use_id, event.is_error]
      const text = contentText(event.content)
      const time = timeOf(event)
      if (text.length <= maxResult) return { type: 'tool_result', tool_use_id, content: text, is_error, ...time }
      return {
        type: 'tool_result',
        tool_use_id,
        content: truncate(text, maxResult),
        is_error,
        truncated: true,
        ...time,
      }
    }
    case 'compaction':
      return { type: 'note', subtype: 'compaction', text: event.summary }
    case 'system':
      return NOTES.has(event.subtype)
        ? { type: 'note', subtype: event.subtype, text: noteText(event.content) }
        : undefined
    default:
      return undefined
  }
}

/** For the duration of a call. An estimated time would give a wrong one. */
function timeOf({ timestamp, timestamp_guessed }: IonEvent): { readonly time?: string } {
  return timestamp_guessed ? {} : { time: timestamp }
}

/** A copy, so that the long text can be freed; without half a surrogate pair at its end. */
function truncate(text: string, maxLength: number): string {
  return Buffer.from(text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, ''), 'utf8').toString('utf8')
}

function noteText(content: unknown): string {
  if (typeof content === 'string') return content
  return content === null || content === undefined ? '' : JSON.stringify(content)
}
