import type { EventOf, IonEvent } from '../events/schema.ts'
import { contentText } from '../events/text.ts'
import { dayOf, minuteOf } from '../platform/local-time.ts'
import { plain } from '../platform/plain-text.ts'
import type { Palette } from './colour.ts'
import { fit, oneLine, wrap } from './text.ts'
import { foldedCall, type ToolCall, unfoldedCall } from './tool-line.ts'

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

/**
 * A session as lines to read, without line breaks. Tool calls wait for their results so that both are on one line;
 * nothing else is held in memory. Counts into `hidden` what is not shown.
 */
export function* transcript(events: Iterable<IonEvent>, options: TranscriptOptions, hidden: Hidden): Generator<string> {
  const { colours, columns } = options
  let waiting = new Map<string, ToolCall>()
  let speaker = ''
  let day = ''
  let last: 'heading' | 'call' | 'other' = 'other'

  /** An empty line between blocks, except after a heading and between folded calls. */
  function* gap(kind: 'heading' | 'call' | 'other'): Generator<string> {
    const close = last === 'heading' || (last === 'call' && kind === 'call' && !options.full)
    last = kind
    if (!close) yield ''
  }

  function* flush(): Generator<string> {
    const calls = waiting
    waiting = new Map()
    for (const [id, call] of calls) {
      yield* gap('call')
      if (options.full) yield* unfoldedCall(call, columns, colours)
      else yield foldedCall(call, columns, colours)
      const under = options.underCall(id)
      if (under) yield `    ${colours.faint(fit(`↳ ${under}`, columns - 4))}`
    }
  }

  function* block(lines: Iterable<string>, kind: 'heading' | 'other' = 'other'): Generator<string> {
    yield* flush()
    yield* gap(kind)
    yield* lines
  }

  /** A heading when the speaker changes. */
  function* heading(name: string, event: IonEvent, paint: (text: string) => string): Generator<string> {
    const who = event.sub_agent ? `${name} › ${oneLine(event.sub_agent)}` : name
    const time = clock(event)
    if (time && time.day !== day) {
      if (day !== '') yield* block([colours.faint(`── ${time.day} ──`)])
      day = time.day
      speaker = ''
    }
    if (who === speaker) return
    speaker = who
    const words = `${colours.strong(paint(fit(who, columns - 8)))}${time ? colours.faint(` · ${time.minute}`) : ''}`
    yield* block([words], 'heading')
  }

  function* said(name: string, event: IonEvent, text: string, paint: (text: string) => string): Generator<string> {
    const body = plain(text).trim()
    if (body === '') return
    yield* flush()
    yield* heading(name, event, paint)
    yield* block(wrap(body, columns - 2).map((line) => `  ${line}`.trimEnd()))
  }

  for (const event of events) {
    switch (event.type) {
      case 'session_start':
        day = clock(event)?.day ?? ''
        break
      case 'user':
        // Each of two messages in a row gets a heading: they were typed separately.
        speaker = ''
        yield* said('You', event, contentText(event.content), colours.accent)
        break
      case 'assistant':
        yield* said(options.agentTitle, event, contentText(event.content), colours.good)
        break
      case 'tool_use':
        if (waiting.size === 0) yield* heading(options.agentTitle, event, colours.good)
        waiting.set(event.id, { use: event, result: undefined })
        if (waiting.size > MAX_WAITING) yield* flush()
        break
      case 'tool_result':
        waiting.set(event.tool_use_id, { use: waiting.get(event.tool_use_id)?.use, result: event })
        if ([...waiting.values()].every((call) => call.result)) yield* flush()
        break
      case 'thinking':
        if (!options.thinking) hidden.thinking++
        else if (event.content.trim() !== '') {
          yield* heading(options.agentTitle, event, colours.good)
          yield* block(wrap(plain(event.content).trim(), columns - 4).map((line) => colours.faint(`  ┊ ${line}`)))
        }
        break
      case 'compaction':
        speaker = ''
        yield* block([colours.warn('── context compacted ──'), ...summaryLines(event, options)])
        break
      case 'system':
        if (options.system) yield* block(noticeLines(event.subtype, event.content, options))
        else hidden.system++
        break
      case 'native':
        hidden.native++
        if (options.system) yield* block(noticeLines('unknown record', event.record, options))
        break
      case 'session_end':
        yield* block([colours.faint(`── ${event.reason} ──`)])
    }
  }
  yield* flush()
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
