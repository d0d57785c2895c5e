import type { IonEvent, SystemEvent } from '../events/event.ts'
import type { SessionItem } from '../events/item.ts'
import { contentText } from '../events/text.ts'
import { collect } from './collect.ts'
import { isAcceptedCallId } from './conversation.ts'
import { Losses } from './report.ts'

/** What makes providers refuse a session, however often it is resumed. A clean copy has none of it. */
export type Ailment =
  | 'thinking_signature'
  | 'sealed_reasoning'
  | 'call_without_result'
  | 'result_without_call'
  | 'call_id'
  | 'empty_text'

/**
 * `reported`: the provider has refused the session for it, and has answered nothing since. `likely`: it has not been sent yet,
 * or was not answered. `accepted`: the model has answered with it, since the agent repairs it or this provider does not mind;
 * another one may.
 */
export type Likelihood = 'reported' | 'likely' | 'accepted'

export interface Finding {
  readonly ailment: Ailment
  readonly likelihood: Likelihood
  /** The first event that has it, or that reports it. */
  readonly event: string
  readonly count: number
}

export interface Diagnosis {
  readonly findings: readonly Finding[]
  /** Reasoning that only the account that made it can use: harmless until the account changes. */
  readonly sealed: number
}

/** Looks at what the model would get if the session were resumed now. */
export function diagnose(read: () => Iterable<SessionItem>): Diagnosis {
  const { events } = collect(read, {}, new Losses())
  const lastAnswer = events.findLastIndex(isAnswer)
  const lastAnswered = events.findLastIndex((event, place) => place < lastAnswer && isInput(event))
  const findings = new Map<Ailment, Finding>()
  const add = (ailment: Ailment, likelihood: Likelihood, event: string): void => {
    const known = findings.get(ailment)
    const count = (known?.count ?? 0) + (known && likelihood === 'reported' ? 0 : 1)
    const isWorse = !known || RANK[likelihood] > RANK[known.likelihood]
    findings.set(ailment, isWorse ? { ailment, likelihood, event, count } : { ...known, count })
  }
  for (const [ailment, place] of ailmentsIn(events)) {
    add(ailment, place <= lastAnswered ? 'accepted' : 'likely', events[place]!.id)
  }
  for (const [ailment, event] of reportedIn(events.slice(lastAnswer + 1))) add(ailment, 'reported', event)
  return { findings: [...findings.values()], sealed: events.filter(isSealed).length }
}

const RANK: Readonly<Record<Likelihood, number>> = { accepted: 0, likely: 1, reported: 2 }

/** What the model makes. */
function isAnswer({ type }: IonEvent): boolean {
  return type === 'assistant' || type === 'tool_use' || type === 'thinking'
}

/** What a request to the model ends with. */
function isInput({ type }: IonEvent): boolean {
  return type === 'user' || type === 'tool_result'
}

function isSealed(event: IonEvent): boolean {
  return event.type === 'system' && (event.subtype === 'redacted_thinking' || event.subtype === 'redacted')
}

type Found = readonly [ailment: Ailment, place: number]

function* ailmentsIn(events: readonly IonEvent[]): Generator<Found> {
  yield* unpairedIn(events)
  const answered = new Set(events.flatMap((event) => (event.type === 'tool_result' ? [event.tool_use_id] : [])))
  for (const [place, event] of events.entries()) {
    // An id that no result refers to may be Ion's own, for an agent that stores none.
    if (event.type === 'tool_use' && answered.has(event.id) && !isAcceptedCallId(event.id)) yield ['call_id', place]
    if ((event.type === 'user' || event.type === 'assistant') && contentText(event.content).trim() === '') {
      yield ['empty_text', place]
    }
  }
}

/**
 * Calls and results that do not belong to each other. A call without a result at the end is one that was interrupted, which
 * every agent can resume; in the middle it is sent as it is.
 */
function* unpairedIn(events: readonly IonEvent[]): Generator<Found> {
  const open = new Map<string, { readonly place: number; hasLaterResult: boolean; isFollowed: boolean }>()
  const known = new Set<string>()
  for (const [place, event] of events.entries()) {
    if (event.type === 'tool_use') known.add(event.id)
    if (event.type === 'tool_result') {
      if (!known.has(event.tool_use_id)) yield ['result_without_call', place]
      open.delete(event.tool_use_id)
      for (const call of open.values()) call.hasLaterResult = true
    } else if (event.type !== 'system' && event.type !== 'native') {
      // Calls and texts of one message follow each other without a result between them.
      for (const call of open.values()) if (event.type === 'user' || call.hasLaterResult) call.isFollowed = true
    }
    if (event.type === 'tool_use') open.set(event.id, { place, hasLaterResult: false, isFollowed: false })
  }
  for (const { place, isFollowed } of open.values()) if (isFollowed) yield ['call_without_result', place]
}

/**
 * How providers say it. There is no code for most of them, and agents store the provider's text or JSON as they got it; quotes
 * and escapes differ. Seen in the issues of the agents.
 */
const REPORTS: readonly (readonly [Ailment, RegExp])[] = [
  ['thinking_signature', /invalid signature in thinking|thinking\.signature: field required|thought.?signature/i],
  ['sealed_reasoning', /invalid_encrypted_content|encrypted content .{0,80}could not be (verified|decrypted)/i],
  [
    'call_without_result',
    /tool_use ids were found without tool_result|tool_use blocks must be followed by|no tool output found for|tool_calls must be followed by tool messages|number of function response parts/i,
  ],
  [
    'result_without_call',
    /unexpected tool_use_id found|no tool call found for|must be a response to a preceed?ing message with tool_calls/i,
  ],
  ['call_id', /tool_use\.?(id|_id): string should match|(call_id|tool_calls?\b.{0,30}\bid)\b.{0,60}string too long/i],
  ['empty_text', /text content blocks must (be non-empty|contain non-whitespace)|must have non-empty content/i],
]

/** What the provider refused. */
function* reportedIn(events: readonly IonEvent[]): Generator<readonly [Ailment, string]> {
  for (const event of events) {
    if (event.type !== 'system' || !isError(event)) continue
    const said = typeof event.content === 'string' ? event.content : JSON.stringify(event.content)
    const text = said.replaceAll(/[\\`'"]/g, '')
    for (const [ailment, report] of REPORTS) if (report.test(text)) yield [ailment, event.id]
  }
}

function isError({ subtype }: SystemEvent): boolean {
  return subtype === 'api_error' || subtype === 'error'
}
