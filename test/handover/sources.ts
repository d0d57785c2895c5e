// Puts the hard sessions into agents' stores, as their agents would have written them.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentsWith } from '../../scripts/agent-folders.ts'
import { uuid } from '../../scripts/samples/fields.ts'
import { SampleHome } from '../../scripts/samples/sample-home.ts'
import type { Sample } from '../../scripts/samples/story.ts'
import { writeSample } from '../../scripts/samples/write-sample.ts'
import { agents } from '../../src/agents/_registry.ts'
import type { Agent } from '../../src/agents/agent.ts'
import type { Refusal } from '../../src/agents/start.ts'
import type { Message, SessionWriter, ToolCall, UserMessage } from '../../src/agents/write.ts'
import { isEvent } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { contentText } from '../../src/events/text.ts'
import { headOf } from '../../src/handover/hand-over.ts'
import { placeSession } from '../../src/handover/place.ts'
import { readContext } from '../../src/native/read-context.ts'
import { compareVersions } from '../../src/platform/compare-versions.ts'
import { IonError } from '../../src/platform/error.ts'
import type { Io } from '../../src/platform/io.ts'
import { type HardEntry, hardSessions, inCallOrder, richSession, type SeenEvent, seenByModel } from './hard-sessions.ts'

/** A hard session, to be written in an agent's own format. */
export interface NativeSession {
  readonly id: string
  readonly cwd: string
  readonly title: string
  /** Milliseconds. */
  readonly start: number
  readonly entries: readonly HardEntry[]
}

/** The default export of an agent's test/hard.ts. */
export interface HardSource {
  /** Names of hard sessions that the agent's format cannot have, and why. */
  readonly cannot: Readonly<Record<string, string>>
  /** `files`: contents by path in the home. */
  readonly write: (session: NativeSession) => {
    readonly nativeId: string
    readonly files: Readonly<Record<string, string>>
  }
}

/**
 * How an agent's sessions are made: `native`: by its test/hard.ts. `writer`: by its own writer, for what a writer can get.
 * `sample`: its part of the demo, for an agent that has neither.
 */
export type SourceForm = 'native' | 'writer' | 'sample'

/** An agent whose sessions are handed over. */
export interface Source {
  readonly agent: Agent
  readonly form: SourceForm
  /** Names of the hard sessions that it expresses; of a sample none. */
  readonly names: readonly string[]
  /** Why it does not express the others. */
  readonly cannot: Readonly<Record<string, string>>
}

/** The name of the session that has all kinds at once, except the large ones. */
export const RICH = 'all kinds'

/** A session in its agent's store. */
export interface PlacedSession {
  readonly name: string
  readonly head: SessionHead
  /** What the model must see of it. */
  readonly seen: readonly SeenEvent[]
}

const hardSources = new Map(agentsWith('test/hard.ts').map(({ id, url }) => [id, url]))

/** Every agent with sessions, Ion's own archive excepted. */
export async function allSources(): Promise<Source[]> {
  return Promise.all(agents.filter(({ isArchive }) => !isArchive).map(sourceOf))
}

async function sourceOf(agent: Agent): Promise<Source> {
  const all = Object.keys(hardSessions)
  if (hardSources.has(agent.id)) {
    const { cannot } = await hardSource(agent)
    return { agent, form: 'native', cannot, names: all.filter((name) => !(name in cannot)) }
  }
  const { writer } = agent
  if (!writer) return { agent, form: 'sample', names: [], cannot: {} }
  const cannot = Object.fromEntries(
    all.flatMap((name) => {
      const why = notForWriter(name, writer)
      return why ? [[name, why]] : []
    }),
  )
  return { agent, form: 'writer', names: all.filter((name) => !(name in cannot)), cannot }
}

async function hardSource({ id }: Agent): Promise<HardSource> {
  const { default: source } = (await import(hardSources.get(id)!.href)) as { default: HardSource }
  return source
}

/** A writer gets a conversation that is already in order: see Message. */
function notForWriter(name: string, { images, calls }: SessionWriter): string | undefined {
  if (name === 'image' && !images) return 'its prompts have no images'
  if (calls === 'text' && ['parallel calls', '100 KB outputs'].includes(name)) return 'its sessions have no tool calls'
  const isOrdered = ['parallel calls', 'unicode and emoji', 'image', '5,000 messages', '100 KB outputs'].includes(name)
  return isOrdered ? undefined : 'no test/hard.ts, and a writer never gets it'
}

/** What the agent's sessions can have of it. */
function expressible(entries: readonly HardEntry[], { form, agent }: Source): readonly HardEntry[] {
  const hasCalls = form === 'native' || agent.writer?.calls === 'kept'
  return hasCalls ? entries : entries.filter(({ kind }) => kind !== 'call' && kind !== 'result')
}

/**
 * Writes sessions of the source into the home. `RICH` is one of the names. `makeStore`: what to do if its database does not
 * exist; by default that of a recorded home is used.
 */
export async function place(
  source: Source,
  names: readonly string[],
  io: Io,
  makeStore: () => Promise<void> = async () => copyRecordedHome(source.agent, io),
): Promise<PlacedSession[]> {
  if (source.form === 'sample') return [await placeSample(source.agent, io)]
  const placed: PlacedSession[] = []
  for (const [index, name] of names.entries()) {
    const entries = expressible(name === RICH ? richSession(source.names) : hardSessions[name]!, source)
    const id = uuid('hard', source.agent.id, name)
    const start = Date.parse('2026-11-14T09:00:00Z') + index * 3_600_000
    const session = { id, cwd: io.cwd, title: name, start, entries }
    const nativeId =
      source.form === 'native'
        ? await placeNative(source.agent, session, io)
        : await placeByWriter(source.agent, session, io, makeStore)
    placed.push({ name, head: listed(source.agent, nativeId, io), seen: seenByModel(entries) })
  }
  return placed
}

async function placeNative(agent: Agent, session: NativeSession, io: Io): Promise<string> {
  const { nativeId, files } = (await hardSource(agent)).write(session)
  for (const [path, content] of Object.entries(files)) {
    const file = join(io.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return nativeId
}

async function placeByWriter(
  agent: Agent,
  { id, cwd, title, start, entries }: NativeSession,
  io: Io,
  makeStore: () => Promise<void>,
): Promise<string> {
  const session = { id, cwd, title, at: new Date(start).toISOString(), messages: toMessages(entries, start) }
  const tryOnce = (): string | Refusal => {
    const write = agent.writer!.prepare({ cwd, version: undefined, io })
    if (typeof write !== 'function') return write
    const written = write(session)
    try {
      placeSession(agent, written, cwd, io, false)
    } catch (error) {
      if (error instanceof IonError && error.kind === 'refused') return { why: error.message, hint: '' }
      throw error
    }
    return written.nativeId
  }
  const first = tryOnce()
  if (typeof first === 'string') return first
  await makeStore()
  const second = tryOnce()
  if (typeof second === 'string') return second
  throw new Error(`${agent.id}: ${second.why}`)
}

function copyRecordedHome({ id }: Agent, { home }: Io): void {
  const fixtures = fileURLToPath(new URL(`../../src/agents/${id}/fixtures/`, import.meta.url))
  const newest = readdirSync(fixtures)
    .filter((name) => /^\d/.test(name))
    .sort(compareVersions)
    .at(-1)
  if (newest) cpSync(join(fixtures, newest), home, { recursive: true, force: false })
}

/** Entries that a writer can get, as it gets them. */
function toMessages(entries: readonly HardEntry[], start: number): Message[] {
  const messages: Message[] = []
  const outputs = new Map(entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.id, entry] as const] : [])))
  let isNext = true
  for (const [index, entry] of entries.entries()) {
    const timestamp = new Date(start + index * 1000).toISOString()
    const base = { id: `entry-${index}`, timestamp }
    if (entry.kind === 'user') {
      const { text, image } = entry
      const content: UserMessage['content'] = [{ type: 'text', text }, ...(image ? [image] : [])]
      messages.push({ ...base, role: 'user', content })
    }
    if (entry.kind === 'say' || entry.kind === 'call') {
      const block =
        entry.kind === 'say' ? { type: 'text' as const, text: entry.text } : callOf(entry, outputs, timestamp)
      const last = messages.at(-1)
      if (last?.role === 'assistant' && !isNext)
        messages[messages.length - 1] = { ...last, content: [...last.content, block] }
      else messages.push({ ...base, role: 'assistant', model: 'stub-model', content: [block] })
    }
    isNext = entry.kind === 'result'
  }
  return messages
}

type Of<Kind extends HardEntry['kind']> = Extract<HardEntry, { kind: Kind }>

function callOf(
  { id, name, input }: Of<'call'>,
  outputs: ReadonlyMap<string, Of<'result'>>,
  timestamp: string,
): ToolCall {
  const { output = '', failed } = outputs.get(id) ?? {}
  return { type: 'call', id, name, input, output, isError: failed === true, timestamp }
}

/** The demo's first session. What the model must see is read by Ion: there is no description of it. */
async function placeSample(agent: Agent, io: Io): Promise<PlacedSession> {
  const found = agentsWith('test/sample.ts').find(({ id }) => id === agent.id)
  if (!found) throw new Error(`${agent.id} has neither test/hard.ts, a writer nor test/sample.ts`)
  const { default: sample } = (await import(found.url.href)) as { default: Sample }
  writeSample(agent.id, sample, new SampleHome(io.home))
  const head = heads(agent, io).find(({ parent_session }) => !parent_session)
  if (!head) throw new Error(`${agent.id}: no session in its sample`)
  return { name: 'sample', head, seen: seenByReader(agent, head, io) }
}

function seenByReader(agent: Agent, head: SessionHead, io: Io): SeenEvent[] {
  const seen: SeenEvent[] = []
  for (const item of agent.read(head, readContext(io))) {
    if (!isEvent(item)) continue
    const { event } = item
    if (event.type === 'user') seen.push({ kind: 'user', text: contentText(event.content) })
    else if (event.type === 'assistant') seen.push({ kind: 'assistant', text: contentText(event.content) })
    else if (event.type === 'tool_use') seen.push({ kind: 'call', id: event.id, name: event.name, input: event.input })
    else if (event.type === 'tool_result')
      seen.push({ kind: 'result', id: event.tool_use_id, text: contentText(event.content) })
  }
  return inCallOrder(seen)
}

function listed(agent: Agent, nativeId: string, io: Io): SessionHead {
  const head = headOf(agent, nativeId, [], io)
  if (!head) throw new Error(`${agent.id}: the session that was written is not listed: ${nativeId}`)
  return head
}

function heads(agent: Agent, io: Io): SessionHead[] {
  const reading = readContext(io)
  const found: SessionHead[] = []
  for (const source of agent.sources(reading)) {
    if ('problem' in source) continue
    for (const head of agent.heads(source, reading)) if (!('problem' in head)) found.push(head)
  }
  return found
}
