import { randomUUID } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import type { Message, NewSession, SessionWriter, WrittenSession } from '../agents/write.ts'
import { sessionId } from '../events/id.ts'
import { isEvent, type SessionItem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import { changeMarks } from '../organise/change-marks.ts'
import { setOrigin } from '../organise/origin.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { SessionLookup } from '../run/session-lookup.ts'
import { removeParts } from '../vault/remove.ts'
import { briefOf } from './brief.ts'
import { fitBudget, noteShortenedByAgent, tokensOf } from './budget.ts'
import { type Collected, collect, type Extent } from './collect.ts'
import { toConversation, withTexts } from './conversation.ts'
import { appendHandover, type KnownHandover, knownHandovers } from './ledger.ts'
import { hashesOf, placeSession } from './place.ts'
import { differs } from './read-back.ts'
import { type Loss, Losses, type Outcome } from './report.ts'

export interface HandoverOptions {
  readonly as: 'auto' | 'native' | 'brief'
  readonly tools: 'keep' | 'text'
  readonly thinking: 'drop' | 'text'
  /** In tokens; undefined for the target's own. */
  readonly budget: number | undefined
  readonly extent: Extent
  /** Another copy, although there is one. */
  readonly again: boolean
  /** Also a session of which some records cannot be read. */
  readonly incomplete: boolean
  /** Also where the target was never seen to accept it. */
  readonly experimental: boolean
}

export interface HandoverRequest {
  readonly source: { readonly head: SessionHead; readonly reader: Agent }
  /** The agent that made the session, also if Ion's archive has it. Of an imported one Ion may know only the name. */
  readonly sourceAgent: Pick<Agent, 'title' | 'live'>
  readonly target: Agent
  /** Of the target's program. */
  readonly version: string | undefined
  /** Where the new session works. */
  readonly cwd: string
  readonly options: HandoverOptions
}

export type Mode = 'native' | 'brief'

/** What will be done, without having done it. */
export interface HandoverPlan {
  readonly request: HandoverRequest
  readonly mode: Mode
  /** Why this mode, for the user. */
  readonly reason: string
  /** `new`: a session is written. `same`: there is one. `rest`: the source grew, and the copy gets the rest. */
  readonly act: 'new' | 'same' | 'rest'
  readonly session: NewSession
  /** Of an agent that accepts no written session: what it is to be sent with the first prompt. */
  readonly brief: string | undefined
  readonly written: WrittenSession | undefined
  readonly events: Readonly<Record<'kept' | Outcome, number>>
  readonly losses: readonly Loss[]
  /** By the source's id of a call: its id in the new session, where that is another one. */
  readonly callIds: ReadonlyMap<string, string>
  readonly tokens: number
  readonly budget: number | null
  readonly lastEvent: string | null
  readonly optionsKey: string
}

/** The new session, as it is in the target's store. */
export interface HandedOver {
  readonly id: string
  readonly nativeId: string
  readonly head: SessionHead
  readonly files: readonly string[]
}

const MAX_TITLE = 120

export function planHandover(request: HandoverRequest, io: Io): HandoverPlan {
  const { source, target, options } = request
  refuseLive(request, io)
  const losses = new Losses()
  const collected = collect(() => itemsOf(request, io), options.extent, losses)
  refuseDamaged(request, collected)
  const { writer } = target
  const budget = options.budget ?? (target.id === source.head.agent ? undefined : writer?.budget)
  const form = {
    calls: options.tools === 'text' ? ('text' as const) : (writer?.calls ?? 'text'),
    images: writer?.images ?? false,
    thinking: options.thinking,
  }
  const all = toConversation(collected.events, form, losses)
  if (all.length === 0) {
    throw new IonError('refused', `session ${source.head.id} has nothing to hand over`, {
      hint: `ion show ${source.head.id}`,
    })
  }
  const fitted = fitBudget(all, budget ?? Number.POSITIVE_INFINITY, losses)
  const { sendsUpTo } = writer ?? {}
  if (sendsUpTo !== undefined) noteShortenedByAgent(fitted, { title: target.title, sendsUpTo }, losses)
  const storable = writer?.storable ?? ((text: string): string => text)
  const choice = choose(request, writer, fitted.dropped, all.length)
  const brief = choice.mode === 'brief' ? briefOf(source.head, request.sourceAgent, all, collected.events) : undefined
  const optionsKey = JSON.stringify([
    choice.mode,
    options.tools,
    options.thinking,
    options.budget ?? null,
    options.extent,
  ])
  const known = options.again ? undefined : findKnown(request, optionsKey, io)
  const session: NewSession = {
    id: known?.seed ?? randomUUID(),
    cwd: request.cwd,
    title: titleOf(request),
    at: known?.at ?? io.now().toISOString(),
    messages:
      brief === undefined
        ? withTexts(fitted.messages, storable, losses)
        : withTexts([briefMessage(brief, all)], storable, new Losses()),
  }
  const isWritten = writer !== undefined && !(writer.isExperimental && !options.experimental)
  const written = isWritten ? prepared(request, writer, io)(session) : undefined
  return {
    request,
    mode: choice.mode,
    reason: choice.reason,
    act: known ? actOn(known, request, collected, io) : 'new',
    session,
    brief,
    written,
    ...(brief === undefined ? countsOf(collected, losses) : briefCounts(collected)),
    callIds: losses.callIds,
    tokens: brief === undefined ? fitted.tokens : tokensOf(session.messages),
    budget: budget ?? null,
    lastEvent: collected.last,
    optionsKey,
  }
}

/**
 * Writes the session into the target's store, reads it back and compares. Killed at any moment it leaves nothing or a complete
 * session, and the next call completes what is missing.
 */
export function carryOut(plan: HandoverPlan, io: Io): HandedOver {
  const { request, session, written } = plan
  if (!written) throw new Error('a brief for an agent that accepts no sessions is sent, not written')
  const { target, source, cwd } = request
  if (plan.act === 'same') return found(target, written, [], io)
  const id = newId(target, written)
  appendHandover(
    {
      type: 'begun',
      at: session.at,
      seed: session.id,
      mode: plan.mode,
      options: plan.optionsKey,
      source: { agent: source.head.agent, id: source.head.id, lastEvent: null },
      target: { agent: target.id, id, nativeId: written.nativeId, cwd },
    },
    io,
  )
  const files = placeSession(target, written, cwd, io, plan.act === 'rest')
  const over = found(target, written, files, io)
  const problem = readBack(target, over.head, session.messages, io)
  if (problem !== undefined) {
    removeParts(target, over.head, io)
    appendHandover({ type: 'undone', id, at: io.now().toISOString() }, io)
    throw new IonError('failed', `the session is not the same when it is read back from ${target.title}: ${problem}`, {
      hint: `what was written is removed again; --as brief does not need it, and a report with this message helps us`,
    })
  }
  const copy = { agent: target.id, id: over.id }
  setOrigin(io, copy, { agent: source.head.agent, id: source.head.id })
  // Not every store has a place for a title.
  if (over.head.title !== session.title) changeMarks(io, copy, { name: session.title.slice(0, MAX_TITLE) })
  const hashes = hashesOf(target, over.head, io)
  appendHandover({ type: 'written', id, at: io.now().toISOString(), lastEvent: plan.lastEvent, hashes }, io)
  return over
}

function* itemsOf({ source: { head, reader } }: HandoverRequest, io: Io): Generator<SessionItem> {
  yield* reader.read(head, readContext(io)) as Iterable<SessionItem>
}

function refuseLive({ source: { head }, sourceAgent }: HandoverRequest, io: Io): void {
  const pid = sourceAgent.live?.(io, [head.native_id]).get(head.native_id)
  if (!pid) return
  throw new IonError('refused', `session ${head.id} is open in ${sourceAgent.title} (pid ${pid})`, {
    hint: 'close it there first: what it says from now on would be missing',
  })
}

function refuseDamaged({ source: { head }, options }: HandoverRequest, { problems }: Collected): void {
  if (problems.length === 0 || options.incomplete) return
  const [first] = problems
  throw new IonError(
    'refused',
    `session ${head.id} is damaged: ${problems.length} ${problems.length === 1 ? 'record' : 'records'} cannot be read (${first!.problem})`,
    { hint: `ion doctor ${head.id} shows them; --incomplete hands over the rest` },
  )
}

/** The mode, and why. */
function choose(
  { target, version, options }: HandoverRequest,
  writer: SessionWriter | undefined,
  dropped: number,
  messages: number,
): { readonly mode: Mode; readonly reason: string } {
  if (!writer || (writer.isExperimental && !options.experimental)) {
    if (options.as === 'native') {
      throw new IonError('refused', `${target.title} accepts no session that another program wrote`, {
        hint: writer ? '--experimental writes one all the same; it was never seen to work' : '--as brief --send "…"',
      })
    }
    return { mode: 'brief', reason: `${target.title} accepts no session that another program wrote` }
  }
  if (options.as !== 'auto') return { mode: options.as, reason: `--as ${options.as}` }
  const { oldest, newest } = writer.proven
  const isOutside =
    version !== undefined && (compareVersions(version, oldest) < 0 || compareVersions(version, newest) > 0)
  if (isOutside && !writer.isExperimental) {
    const range = oldest === newest ? newest : `${oldest} to ${newest}`
    return {
      mode: 'brief',
      reason: `not proven with ${target.title} ${version}, only with ${range}; --as native writes the whole session`,
    }
  }
  if (dropped > 0) {
    return {
      mode: 'brief',
      reason: `${dropped} of ${messages} messages would not fit; --as native leaves them out, --budget raises the limit`,
    }
  }
  const reason = writer.isExperimental ? '--experimental: never seen to work' : `proven with ${target.title} ${newest}`
  return { mode: 'native', reason }
}

function prepared({ target, cwd, version }: HandoverRequest, writer: SessionWriter, io: Io) {
  const write = writer.prepare({ cwd, version, io })
  if (typeof write === 'function') return write
  throw new IonError('refused', `cannot write a session for ${target.title}: ${write.why}`, { hint: write.hint })
}

function briefMessage(text: string, messages: readonly Message[]): Message {
  const { id, timestamp } = messages.at(-1)!
  return { role: 'user', id: `${id}-brief`, timestamp, content: [{ type: 'text', text }], isSummary: true }
}

/** The title of the agent's list says where a session comes from. */
function titleOf({ source: { head }, sourceAgent, target, options }: HandoverRequest): string {
  const title = head.title ?? 'untitled'
  if (target.id !== head.agent) return `${title} (from ${sourceAgent.title})`
  return `${title} (${options.extent.until ? 'fork' : 'copy'})`
}

function newId(target: Agent, { nativeId }: WrittenSession): string {
  return sessionId(target.id, nativeId)
}

type Counts = Pick<HandoverPlan, 'events' | 'losses'>

function countsOf({ events }: Collected, losses: Losses): Counts {
  const [changed, shortened, text, dropped] = [
    losses.count('changed'),
    losses.count('shortened'),
    losses.count('text'),
    losses.count('dropped'),
  ]
  const inside = losses.list.filter(({ outcome, what }) => outcome === 'dropped' && what !== 'event')
  const gone = inside.reduce((sum, { count }) => sum + count, 0)
  const kept = Math.max(0, events.length - gone - text - shortened - changed)
  return { events: { kept, changed, shortened, text, dropped }, losses: losses.list }
}

/** A brief has no events, only what they say. */
function briefCounts({ events }: Collected): Counts {
  const losses = new Losses()
  losses.add('dropped', 'event', 'the brief says what they were about', events.length)
  return { events: { kept: 0, changed: 0, shortened: 0, text: 0, dropped: events.length }, losses: losses.list }
}

/** An earlier handover of the same session to the same place, with the same options. */
function findKnown({ source, target, cwd }: HandoverRequest, optionsKey: string, io: Io): KnownHandover | undefined {
  const known = knownHandovers(io).findLast(
    (one) =>
      one.source.id === source.head.id &&
      one.source.agent === source.head.agent &&
      one.target.agent === target.id &&
      one.target.cwd === cwd &&
      one.options === optionsKey,
  )
  // Complete, but deleted since: it is written again, as another one.
  if (known?.hashes && !headOf(target, known.target.nativeId, [], io)) return undefined
  return known
}

function actOn(
  known: KnownHandover,
  { source, target }: HandoverRequest,
  { last }: Collected,
  io: Io,
): 'same' | 'rest' {
  if (!known.hashes) return 'rest'
  if (known.source.lastEvent === last) return 'same'
  if (isUnused(known, target, io)) return 'rest'
  throw new IonError(
    'refused',
    `session ${source.head.id} was handed over to ${target.title} as ${known.target.id}, and both continued since`,
    { hint: `--again makes another copy; ion --resume ${known.target.id} opens the one that exists` },
  )
}

/** Whether the handed-over session is still exactly what was written. */
export function isUnused(known: KnownHandover, target: Agent, io: Io): boolean {
  const head = headOf(target, known.target.nativeId, [], io)
  if (!head || !known.hashes) return false
  return JSON.stringify(sorted(hashesOf(target, head, io))) === JSON.stringify(sorted(known.hashes))
}

function sorted<T extends { readonly path: string }>(hashes: readonly T[]): T[] {
  return [...hashes].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export function headOf(agent: Agent, nativeId: string, files: readonly string[], io: Io): SessionHead | undefined {
  return new SessionLookup(agent, io, '').find(nativeId, files)?.head
}

function found(target: Agent, { nativeId }: WrittenSession, files: readonly string[], io: Io): HandedOver {
  const head = headOf(target, nativeId, files, io)
  if (!head) throw new IonError('failed', `${target.title} does not list the session that was written: ${nativeId}`)
  return { id: head.id, nativeId, head, files }
}

function readBack(target: Agent, head: SessionHead, messages: readonly Message[], io: Io): string | undefined {
  const events = function* () {
    for (const item of target.read(head, readContext(io))) {
      if (isEvent(item)) yield item.event
    }
  }
  try {
    return differs(messages, events())
  } catch (error) {
    return messageOf(error)
  }
}
