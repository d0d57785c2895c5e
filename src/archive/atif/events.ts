import { createHash } from 'node:crypto'
import { agents } from '../../agents/_registry.ts'
import type { Block, Content, ImageBlock, IonEvent, SessionStart } from '../../events/event.ts'
import { FORMAT_VERSION } from '../../events/format-version.ts'
import { sessionId } from '../../events/id.ts'
import { titleFrom } from '../../events/session.ts'
import { contentText } from '../../events/text.ts'
import { toContent } from '../../native/content.ts'
import { type Draft, Sequencer } from '../../native/sequencer.ts'
import { projectOf } from '../../platform/project.ts'
import type { Media, Part, Result, Step, Trajectory, UnknownStep } from './document.ts'

export interface TrajectoryOrigin {
  readonly cwd: string | null
  /** Reads an image that the document refers to; without it, the reference is kept. */
  readonly image?: ((media: Media) => ImageBlock) | undefined
  /** Of a sub-agent: the session that started it, and the call that did. */
  readonly parent?: Pick<SessionStart, 'session_id' | 'native_id'> | undefined
  readonly spawnedBy?: string | undefined
}

export interface TrajectoryLog {
  readonly start: SessionStart
  readonly events: readonly IonEvent[]
  /** By the id of a sub-agent: the call that started it. */
  readonly calls: ReadonlyMap<string, string>
}

/**
 * A document as canonical events. The same document, or a longer one of the same run, gets the same session and the same events
 * again. Sub-agents are sessions of their own.
 */
export function trajectoryLog(trajectory: Trajectory, origin: TrajectoryOrigin): TrajectoryLog {
  const start = startOf(trajectory, origin)
  const builder = new Builder(start, trajectory.agent.model, origin.image ?? reference)
  for (const step of trajectory.steps) builder.add(step)
  return { start, events: builder.finish(trajectory), calls: builder.subAgentCalls }
}

function startOf(
  { version, agent, ...trajectory }: Trajectory,
  { cwd, parent, spawnedBy }: TrajectoryOrigin,
): SessionStart {
  const id = agentId(agent.name)
  const native_id = nativeId({ version, agent, ...trajectory }, parent)
  const session_id = sessionId(id, native_id)
  const first = trajectory.steps.find((step): step is Step => step.source === 'user')
  const texts = first?.message.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  const start: Draft = {
    type: 'session_start',
    id: `${session_id}:start`,
    parent_id: null,
    time: trajectory.steps.find(({ time }) => time !== undefined)?.time,
    ...(agent.model === undefined ? {} : { model: agent.model }),
    v: FORMAT_VERSION,
    session_id,
    agent: id,
    native_id,
    cwd,
    project: cwd === null ? null : projectOf(cwd),
    title: titleFrom(texts.join('\n')),
    ...(parent ? { parent_session: parent.session_id } : {}),
    ...(spawnedBy === undefined ? {} : { spawned_by: spawnedBy }),
    source: { agent_version: agent.version, format: `atif-v${version}` },
  }
  return new Sequencer(null).complete(start, 'start', 0) as SessionStart
}

const MAX_NAME = 40
const MAX_ID = 200

/** Ion's id of an agent that it knows, else the document's name for it in the form of one. */
export function agentId(name: string): string {
  const wanted = name.toLowerCase()
  const known = agents.find(({ id, aliases }) => id === wanted || aliases.includes(wanted))
  if (known && !known.isArchive) return known.id
  const id = wanted
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  // The archive is not an agent, whoever has its name.
  return id === '' || known ? 'atif' : id
}

/**
 * Never the id that the agent itself gave: its own session may be here too, with other events. Without any id, the first step
 * identifies the document.
 */
function nativeId({ sessionId: run, trajectoryId, steps }: Trajectory, parent: TrajectoryOrigin['parent']): string {
  const own = parent ? [trajectoryId] : [run, trajectoryId]
  const given = own.filter((id) => id !== undefined && id !== '').join('/')
  const id = given || `step-${shortHash(steps[0])}`
  const short = id.length > MAX_ID ? `long-${shortHash(id)}` : id
  return parent ? `${parent.native_id}/${short}` : `atif-${short}`
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}

function reference({ mediaType, path }: Media): ImageBlock {
  return { type: 'image', media_type: mediaType, url: path }
}

/** The name of the call that Ion adds where an agent acted without one, so that what it observed stays with it. */
const ACTION = 'action'

class Builder {
  readonly subAgentCalls = new Map<string, string>()
  readonly #sequencer = new Sequencer(null)
  readonly #events: IonEvent[] = []
  readonly #model: string | undefined
  readonly #image: (media: Media) => ImageBlock
  /** The last event with each of the document's call ids. */
  readonly #calls = new Map<string, string>()
  #step: { readonly key: string; readonly time: string | undefined; readonly first: Partial<Draft>; index: number }

  constructor(start: SessionStart, model: string | undefined, image: (media: Media) => ImageBlock) {
    this.#model = model
    this.#image = image
    this.#step = { key: 'start', time: undefined, first: {}, index: 0 }
    const { seq: _seq, timestamp, timestamp_guessed, ...draft } = start
    this.#events.push(
      this.#sequencer.complete({ ...draft, ...(timestamp_guessed ? {} : { time: timestamp }) }, 'start', 0),
    )
  }

  add(step: Step | UnknownStep): void {
    this.#step = { key: `s${step.id}`, time: step.time, first: firstOf(step, this.#model), index: 0 }
    if (step.source === undefined) {
      this.#emit({ type: 'native', record: step.record })
      return
    }
    if (step.source === 'agent') this.#agent(step)
    else this.#other(step)
    const isEmpty = this.#step.index === 0
    if (isEmpty || Object.keys(step.more).length > 0) {
      this.#emit({ type: 'system', subtype: 'atif_step', content: step.more, id: `${this.#step.key}:more` })
    }
    if (Object.keys(step.unknown).length > 0) {
      this.#emit({ type: 'native', record: { step_id: step.id, ...step.unknown }, id: `${this.#step.key}:unknown` })
    }
  }

  /** The ids of what describes the document change with it: a longer one replaces nothing. */
  finish({ about, unknown }: Trajectory): IonEvent[] {
    this.#step = { key: 'document', time: undefined, first: {}, index: 0 }
    this.#emit({ type: 'system', subtype: 'atif_document', content: about, id: `document-${shortHash(about)}` })
    if (Object.keys(unknown).length > 0) {
      this.#emit({ type: 'native', record: unknown, id: `unknown-${shortHash(unknown)}` })
    }
    return this.#events
  }

  #emit(draft: Draft): IonEvent {
    const { key, time, first } = this.#step
    const about = this.#step.index === 0 ? first : {}
    const event = this.#sequencer.complete({ time, ...about, ...draft } as Draft, key, this.#step.index++)
    this.#events.push(event)
    return event
  }

  #other({ source, message, results, isCompaction }: Step): void {
    const said = this.#content(message)
    if (source === 'user') this.#emit({ type: 'user', content: said })
    else if (isCompaction) this.#emit({ type: 'compaction', summary: contentText(said), replaces: [] })
    else this.#emit({ type: 'system', subtype: 'system_prompt', content: said })
    for (const { content } of results) {
      if (content.length > 0) this.#emit({ type: 'system', subtype: 'observation', content: this.#content(content) })
    }
  }

  #agent({ message, reasoning, calls, results }: Step): void {
    if (reasoning) this.#emit({ type: 'thinking', content: reasoning })
    if (message.length > 0) this.#emit({ type: 'assistant', content: this.#blocks(message) })
    const open = calls.map(({ id, name, input }) => {
      const event = this.#emit({ type: 'tool_use', name, input, id })
      this.#calls.set(id, event.id)
      return { id, event: event.id, isAnswered: false }
    })
    const unlinked: Result[] = []
    for (const result of results) {
      const call = open.find(({ id, isAnswered }) => id === result.callId && !isAnswered)
      const event = call?.event ?? (result.callId === undefined ? undefined : this.#calls.get(result.callId))
      if (call) call.isAnswered = true
      if (event === undefined) unlinked.push(result)
      else this.#result(event, result)
    }
    this.#unlinked(
      unlinked,
      open.filter(({ isAnswered }) => !isAnswered).map(({ event }) => event),
    )
  }

  /**
   * Results that name no call. In the order of the calls; one for several calls is that of the last, and the others gave
   * nothing of their own. Without a call it is what an action of the agent gave that the document does not record.
   */
  #unlinked(results: readonly Result[], calls: readonly string[]): void {
    if (results.length === 0) return
    const shared = Math.max(0, calls.length - results.length)
    for (const call of calls.slice(0, shared))
      this.#result(call, { callId: undefined, content: [], isError: false, subAgents: [] })
    for (const [index, result] of results.entries()) {
      const call = calls[shared + index]
      this.#result(call ?? this.#emit({ type: 'tool_use', name: ACTION, input: {} }).id, result)
    }
  }

  #result(call: string, { content, isError, subAgents }: Result): void {
    for (const id of subAgents) this.subAgentCalls.set(id, call)
    this.#emit({ type: 'tool_result', tool_use_id: call, content: this.#content(content), is_error: isError })
  }

  #content(parts: readonly Part[]): Content {
    return parts.length === 0 ? '' : toContent(this.#blocks(parts))
  }

  #blocks(parts: readonly Part[]): Block[] {
    return parts.map((part) => {
      if (part.type === 'text') return part
      if (part.type === 'image') return this.#image(part)
      return { type: 'file', path: part.path, media_type: part.mediaType }
    })
  }
}

/** What is known about a model's message is on its first event. */
function firstOf(step: Step | UnknownStep, model: string | undefined): Partial<Draft> {
  if (step.source !== 'agent') return {}
  const used = step.model ?? model
  return { ...(used === undefined ? {} : { model: used }), ...(step.usage ? { token_usage: step.usage } : {}) }
}
