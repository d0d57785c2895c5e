import type { IonEvent } from '../events/event.ts'
import { contentText } from '../events/text.ts'
import { BranchSurvey } from '../export/branch.ts'
import { type Draft, type Part, saidBy } from './message.ts'

/** Results that are longer are cut: a page of messages must stay small. */
const LONGEST_RESULT = 4096

/** What becomes of an event. `place` is its place in the transcript. */
type Entry =
  | {
      readonly kind: 'user'
      readonly place: number
      readonly key: string
      readonly text: string
      readonly time: string
    }
  | { readonly kind: 'part'; readonly place: number; readonly part: Part; readonly time: string }
  /** The turn came to its end without an answer. */
  | { readonly kind: 'end'; readonly place: number }

/** Notes that a reader of the chat must see; whatever else the agent adds by itself is not part of it. */
const NOTES = new Set(['interrupted', 'api_error'])

/** Turns the events of a session into messages: one for each prompt, and one for all that the agent did until the next. */
export class Conversation {
  readonly #branches = new BranchSurvey()
  readonly #entries: Entry[] = []
  readonly #longest: number
  #place = 0
  #prompts = 0

  constructor(longestResult: number = LONGEST_RESULT) {
    this.#longest = longestResult
  }

  /** How many prompts there were, on all branches. */
  get prompts(): number {
    return this.#prompts
  }

  /** How much there is to show, on all branches. */
  get size(): number {
    return this.#entries.length
  }

  /** Takes the next event of the transcript. */
  add(event: IonEvent): void {
    this.#branches.add(event)
    const place = this.#place++
    // What a sub-agent said to its parent is not what the agent said to the user.
    if (event.sub_agent !== undefined) return
    if (event.type === 'user') {
      const time = event.timestamp
      this.#prompts++
      this.#entries.push({ kind: 'user', place, key: event.id, text: contentText(event.content), time })
    } else if (event.type === 'session_end') {
      this.#entries.push({ kind: 'end', place })
    } else {
      const part = partOf(event, this.#longest)
      if (part) this.#entries.push({ kind: 'part', place, part, time: event.timestamp })
    }
  }

  /** The messages of the conversation as it stands: what the user went back behind is left out. */
  drafts(): Draft[] {
    const { isMain } = this.#branches.finish()
    const drafts: Draft[] = []
    let turn: Turn | undefined
    let owner = ''
    const settle = (isLast: boolean): void => {
      if (turn) drafts.push(agentDraft(turn, owner, isLast))
      turn = undefined
    }
    for (const entry of this.#entries) {
      if (!isMain(entry.place)) continue
      if (entry.kind === 'user') {
        settle(false)
        owner = entry.key
        drafts.push({ key: entry.key, time: entry.time, ...saidBy('user', entry.text) })
      } else if (entry.kind === 'end') {
        if (turn) turn.isOver = true
      } else {
        turn ??= { parts: [], time: entry.time, isOver: false }
        turn.parts.push(entry.part)
        turn.isOver = entry.part.type === 'text' || entry.part.type === 'note'
      }
    }
    settle(true)
    return drafts
  }
}

interface Turn {
  readonly parts: Part[]
  readonly time: string
  isOver: boolean
}

/** Named after the prompt that it answers: that does not change while the turn grows. */
function agentDraft({ parts, time, isOver }: Turn, owner: string, isLast: boolean): Draft {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const done = !isLast || isOver
  return { key: `>${owner}`, role: 'agent', content: texts.join('\n\n'), time, parts, done }
}

function partOf(event: IonEvent, longest: number): Part | undefined {
  switch (event.type) {
    case 'assistant': {
      const text = contentText(event.content)
      return text.trim() === '' ? undefined : { type: 'text', text }
    }
    case 'thinking':
      return event.content.trim() === '' ? undefined : { type: 'thinking', text: event.content }
    case 'tool_use':
      return { type: 'tool_use', id: event.id, name: event.name, input: event.input }
    case 'tool_result': {
      const [tool_use_id, is_error] = [event.tool_use_id, event.is_error]
      const text = contentText(event.content)
      if (text.length <= longest) return { type: 'tool_result', tool_use_id, content: text, is_error }
      return { type: 'tool_result', tool_use_id, content: cut(text, longest), is_error, truncated: true }
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

/** A copy, so that the long text behind it is not kept; and no half of a character at its end. */
function cut(text: string, longest: number): string {
  return Buffer.from(text.slice(0, longest).replace(/[\ud800-\udbff]$/, ''), 'utf8').toString('utf8')
}

function noteText(content: unknown): string {
  if (typeof content === 'string') return content
  return content === null || content === undefined ? '' : JSON.stringify(content)
}
