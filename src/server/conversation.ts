import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { answeredHow } from '../export/answered-how.ts'
import { BranchFinder, type BranchLink } from '../export/branch.ts'
import { callSummary } from '../export/call-summary.ts'
import type { RecordedAnswer } from './answers.ts'
import type { Part, ToolUse } from './contract.ts'
import { type Draft, textMessage } from './message.ts'
import { type PlacedEvent, placeAnswers } from './place-answers.ts'

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
  /** When it happened; undefined if the agent has stored no time. */
  readonly time: string | undefined
  /** Undefined when the event is not part of the conversation. */
  readonly entry: Entry | undefined
}

export function digestOf(event: IonEvent, maxResult: number = MAX_RESULT): EventDigest {
  const { id, parent_id, type, sub_agent } = event
  return {
    link: { id, parent_id, type, ...(sub_agent === undefined ? {} : { sub_agent }) },
    time: timeOf(event).time,
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
const NOTES: ReadonlySet<string> = new Set(['interrupted', 'api_error'])

/** Turns the events of a session into messages: one for each prompt, and one for everything the agent did until the next. */
export class Conversation {
  readonly #branches = new BranchFinder()
  readonly #entries: PlacedEntry[] = []
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

  /** The id of the last event that is part of it. */
  get lastId(): string | undefined {
    return this.#entries.at(-1)?.id
  }

  /** Adds the next event of the transcript. */
  add(event: IonEvent): void {
    this.addDigest(digestOf(event, this.#maxResult))
  }

  addDigest({ link, time, entry }: EventDigest): void {
    this.#branches.add(link)
    const place = this.#place++
    const isPrompt = entry?.kind === 'user'
    if (isPrompt) this.#prompts++
    if (entry) this.#entries.push({ id: link.id, time, isPrompt, place, entry })
  }

  /** The messages of the current branch: without what the user has rewound. */
  drafts(answers: readonly RecordedAnswer[] = []): Draft[] {
    const { isMain } = this.#branches.finish()
    const current = this.#entries.filter(({ place }) => isMain(place))
    const answered = placeAnswers(answers, current, (id) => this.#entries.some((entry) => entry.id === id))
    const drafts: Draft[] = []
    let turn: Turn = { prompt: undefined, parts: [], time: undefined, isOver: false }
    const endTurn = (isLast: boolean): void => {
      const draft = agentDraft(turn, isLast)
      if (draft) drafts.push(draft)
    }
    for (const [index, { entry }] of current.entries()) {
      for (const answer of answered.get(index) ?? []) turn.parts.push(answeredNote(answer))
      if (entry.kind === 'user') {
        const isFirst = turn.prompt === undefined && turn.time === undefined
        if (!isFirst) endTurn(false)
        drafts.push(entry.draft)
        // What was answered before the first prompt, such as whether to trust the folder, is part of its turn.
        turn = { prompt: entry.draft, parts: isFirst ? turn.parts : [], time: undefined, isOver: false }
      } else if (entry.kind === 'end') {
        turn.isOver = turn.time !== undefined
      } else {
        turn.time ??= entry.time
        turn.parts.push(entry.part)
        turn.isOver = entry.part.type === 'text' || entry.part.type === 'note'
      }
    }
    for (const answer of answered.get(current.length) ?? []) turn.parts.push(answeredNote(answer))
    endTurn(true)
    return drafts
  }
}

interface PlacedEntry extends PlacedEvent {
  readonly place: number
  readonly entry: Entry
}

/** A prompt, and what the agent did until the next one. */
interface Turn {
  readonly prompt: Draft | undefined
  readonly parts: Part[]
  /** Of the first thing in the transcript. */
  time: string | undefined
  isOver: boolean
}

/** The key of a turn: that of the prompt which it answers stays the same while it grows. */
export function answerKey(prompt: string): string {
  return `>${prompt}`
}

/** Undefined if the turn is empty. */
function agentDraft({ prompt, parts, time = prompt?.time, isOver }: Turn, isLast: boolean): Draft | undefined {
  if (parts.length === 0 || time === undefined) return undefined
  const done = !isLast || isOver
  return { key: answerKey(prompt?.key ?? ''), role: 'agent', content: textOf(parts), time, parts, done }
}

/** The turn of a prompt that is not in the transcript yet: only what the agent was answered is known. Undefined if it is empty. */
export function unstoredTurn(prompt: Draft, answers: readonly RecordedAnswer[]): Draft | undefined {
  return agentDraft({ prompt, parts: answers.map(answeredNote), time: undefined, isOver: false }, true)
}

function answeredNote({ question, details, choice, by, at }: RecordedAnswer): Part {
  const text = `${choice} · asked: ${question} · answered ${answeredHow(by)}`
  return { type: 'note', subtype: 'answered', text, answer: { question, details, choice, by, time: at } }
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

/** What a chat shows of an event; undefined if nothing. */
export function partOf(event: IonEvent, maxResult: number): Part | undefined {
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

export function noteText(content: unknown): string {
  if (typeof content === 'string') return content
  return content === null || content === undefined ? '' : JSON.stringify(content)
}
