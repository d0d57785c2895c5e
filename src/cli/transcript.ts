import type { EventOf, IonEvent } from '../events/schema.ts'
import { contentText } from '../events/text.ts'
import { dayOf, minuteOf } from '../platform/local-time.ts'
import { plain } from '../platform/plain-text.ts'
import type { Palette } from './colour.ts'
import { fit, oneLine, wrap } from './text.ts'
import { foldedCall, unfoldedCall } from './tool-line.ts'

export interface TranscriptOptions {
  readonly full: boolean
  readonly thinking: boolean
  readonly system: boolean
  readonly columns: number
  readonly colours: Palette
  /** The agent's name in headings. */
  readonly agentTitle: string
  /** A line to print under a tool call: the sub-agent it started. */
  readonly underCall: (callId: string) => string | undefined
  /** Lays out a text of the model or the user: for a terminal, what its Markdown means. Default: its signs. */
  readonly layOut?: (text: string, columns: number, colours: Palette) => readonly string[]
  /** Whether this one is shown in full, whatever else is folded. */
  readonly isUnfolded?: (event: Pick<IonEvent, 'id'>) => boolean
  /** The number of the turn that a prompt begins, where it is known. */
  readonly turnOf?: (prompt: Pick<IonEvent, 'id'>) => number | undefined
  /** Called before the first line of an event. */
  readonly onEvent?: (event: Pick<IonEvent, 'id'>) => void
}

/** Counts of what was not shown, for a note at the end. */
export interface Hidden {
  thinking: number
  system: number
  native: number
}

/** Maximum number of calls waiting for their results; more than any agent makes at once. */
const MAX_WAITING = 64
const FOLDED_SUMMARY = 6

interface WaitingCall {
  readonly use: EventOf<'tool_use'> | undefined
  readonly result: EventOf<'tool_result'> | undefined
}

type Kind = 'heading' | 'call' | 'other'

/** A session as lines to read, without line breaks. Counts into `hidden` what is not shown. */
export function* transcript(events: Iterable<IonEvent>, options: TranscriptOptions, hidden: Hidden): Generator<string> {
  const writer = new TranscriptWriter(options, hidden)
  for (const event of events) yield* writer.add(event)
  yield* writer.end()
}

/**
 * The same event by event. Tool calls wait for their results so that both are on one line; nothing else is held in memory.
 */
export class TranscriptWriter {
  readonly #options: TranscriptOptions
  readonly #hidden: Hidden
  #waiting = new Map<string, WaitingCall>()
  #speaker = ''
  #day = ''
  #last: Kind = 'other'

  constructor(options: TranscriptOptions, hidden: Hidden) {
    this.#options = options
    this.#hidden = hidden
  }

  *add(event: IonEvent): Generator<string> {
    const { colours, columns, agentTitle, isUnfolded = () => false } = this.#options
    switch (event.type) {
      case 'session_start':
        this.#day = clock(event)?.day ?? ''
        break
      case 'user':
        // Each of two messages in a row gets a heading: they were typed separately.
        this.#speaker = ''
        yield* this.#said('You', event, contentText(event.content), colours.accent)
        break
      case 'assistant':
        yield* this.#said(agentTitle, event, contentText(event.content), colours.good)
        break
      case 'tool_use':
        if (this.#waiting.size === 0) yield* this.#heading(agentTitle, event, colours.good)
        this.#waiting.set(event.id, { use: event, result: undefined })
        if (this.#waiting.size > MAX_WAITING) yield* this.#flush()
        break
      case 'tool_result':
        this.#waiting.set(event.tool_use_id, { use: this.#waiting.get(event.tool_use_id)?.use, result: event })
        if ([...this.#waiting.values()].every((call) => call.result)) yield* this.#flush()
        break
      case 'thinking':
        if (!this.#options.thinking && !isUnfolded(event)) this.#hidden.thinking++
        else if (event.content.trim() !== '') {
          yield* this.#heading(agentTitle, event, colours.good)
          const lines = wrap(plain(event.content).trim(), columns - 4)
          yield* this.#block(
            lines.map((line) => colours.faint(`  ┊ ${line}`)),
            event,
          )
        }
        break
      case 'compaction':
        this.#speaker = ''
        yield* this.#block([colours.warn('── context compacted ──'), ...summaryLines(event, this.#options)], event)
        break
      case 'system':
        if (this.#options.system) yield* this.#block(noticeLines(event.subtype, event.content, this.#options), event)
        else this.#hidden.system++
        break
      case 'native':
        this.#hidden.native++
        if (this.#options.system) yield* this.#block(noticeLines('unknown record', event.record, this.#options), event)
        break
      case 'session_end':
        yield* this.#block([colours.faint(`── ${event.reason} ──`)], event)
    }
  }

  *end(): Generator<string> {
    yield* this.#flush()
  }

  /** An empty line between blocks, except after a heading and between folded calls. */
  *#gap(kind: Kind): Generator<string> {
    const close = this.#last === 'heading' || (this.#last === 'call' && kind === 'call' && !this.#options.full)
    this.#last = kind
    if (!close) yield ''
  }

  *#flush(): Generator<string> {
    const { full, columns, colours, underCall, isUnfolded = () => false, onEvent = () => {} } = this.#options
    const calls = this.#waiting
    this.#waiting = new Map()
    for (const [id, call] of calls) {
      const events = [call.use, call.result].filter((event) => event !== undefined)
      yield* this.#gap('call')
      for (const event of events) onEvent(event)
      if (full || events.some(isUnfolded)) yield* unfoldedCall(call, columns, colours)
      else yield foldedCall(call, columns, colours)
      const under = underCall(id)
      if (under) yield `    ${colours.faint(fit(`↳ ${under}`, columns - 4))}`
    }
  }

  /** `event`: whose text it is. */
  *#block(lines: Iterable<string>, event?: IonEvent, kind: Kind = 'other'): Generator<string> {
    yield* this.#flush()
    yield* this.#gap(kind)
    if (event) this.#options.onEvent?.(event)
    yield* lines
  }

  /** A heading when the speaker changes. */
  *#heading(name: string, event: IonEvent, paint: (text: string) => string): Generator<string> {
    const { columns, colours, turnOf } = this.#options
    const who = event.sub_agent ? `${name} › ${oneLine(event.sub_agent)}` : name
    const time = clock(event)
    if (time && time.day !== this.#day) {
      if (this.#day !== '') yield* this.#block([colours.faint(`── ${time.day} ──`)])
      this.#day = time.day
      this.#speaker = ''
    }
    if (who === this.#speaker) return
    this.#speaker = who
    const turn = event.type === 'user' ? turnOf?.(event) : undefined
    const facts = [...(time ? [time.minute] : []), ...(turn === undefined ? [] : [`turn ${turn}`])]
    const words = facts.map((fact) => ` · ${fact}`).join('')
    const speaker = fit(who, Math.max(1, columns - words.length))
    yield* this.#block([`${colours.strong(paint(speaker))}${colours.faint(words)}`], undefined, 'heading')
  }

  *#said(name: string, event: IonEvent, text: string, paint: (text: string) => string): Generator<string> {
    const body = plain(text).trim()
    if (body === '') return
    yield* this.#flush()
    yield* this.#heading(name, event, paint)
    const { columns, colours, layOut = wrap } = this.#options
    const lines = layOut(body, columns - 2, colours)
    yield* this.#block(
      lines.map((line) => `  ${line}`.trimEnd()),
      event,
    )
  }
}

function summaryLines(event: EventOf<'compaction'>, { columns, colours, full }: TranscriptOptions): string[] {
  const lines = wrap(plain(event.summary).trim(), columns - 2)
  const shown = full ? lines : lines.slice(0, FOLDED_SUMMARY)
  const rest = lines.length - shown.length
  return [...shown, ...(rest > 0 ? [`… ${rest} more lines (--full)`] : [])].map((line) => colours.faint(`  ${line}`))
}

function noticeLines(name: string, content: unknown, { columns, colours, full }: TranscriptOptions): string[] {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (!full) return [colours.faint(fit(`  · ${oneLine(name)}: ${oneLine((text ?? '').slice(0, 2000))}`, columns))]
  return [`  · ${oneLine(name)}`, ...wrap(plain(text ?? '').trim(), columns - 4).map((line) => `    ${line}`)].map(
    colours.faint,
  )
}

/** Day and minute in the reader's time zone; undefined if the agent recorded no time. */
function clock(event: IonEvent): { day: string; minute: string } | undefined {
  if (event.timestamp_guessed) return undefined
  const date = new Date(event.timestamp)
  return { day: dayOf(date), minute: minuteOf(date) }
}
