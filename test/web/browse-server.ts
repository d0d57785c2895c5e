import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Check } from '../../src/doctor/check.ts'
import type {
  About,
  AgentEntry,
  ChangeEvent,
  FilesLine,
  Filters,
  HandoverAnswer,
  HandoverTargets,
  ListedSession,
  PromptList,
  RawWindow,
  SearchLine,
  SessionChanges,
  SessionCoverage,
  SessionDetail,
  SessionPage,
  SessionUsage,
  SharedSession,
  TranscriptEntry,
  TranscriptWindow,
} from '../../src/server/browse/contract.ts'
import { pageHeaders } from '../../src/server/page.ts'
import { grouped } from '../../src/usage/grouped.ts'
import type { TopRow, TopRows, UsageOverview } from '../../src/usage/overview.ts'
import { builtFolder } from '../support/built.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** A tool call as an entry, with its result unless that is undefined. */
export function callEntry(
  event: string,
  name: string,
  input: unknown,
  content: string | undefined,
  time = '2026-11-14T09:12:00Z',
): TranscriptEntry {
  return {
    event,
    role: 'agent',
    time,
    part: { type: 'tool_use', id: event, name, input, time },
    ...(content === undefined
      ? {}
      : { result: { type: 'tool_result', tool_use_id: event, content, is_error: false, time } }),
  }
}

export function textEntry(event: string, role: TranscriptEntry['role'], text: string): TranscriptEntry {
  return { event, role, time: '2026-11-14T09:12:00Z', part: { type: 'text', text } }
}

const noCalls: SessionUsage['total'] = {
  ...{ calls: 0, cost: null, unpriced: 0 },
  tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 },
}

/**
 * What `ion web` answers, from prepared sessions: for what a real one would not do on demand, and to count what the page asks
 * for. The types are those of the contract, and the page is served as the real server does.
 */
export class BrowseServer {
  sessions: ListedSession[] = []
  readonly entries = new Map<string, TranscriptEntry[]>()
  about: About = { version: '0.1.0', read_only: false, terminal: true, home: '/home/dev' }
  /** Of all sessions, when they are read. */
  version = '1'
  /** What is different in the details of every session. */
  detail: Partial<SessionDetail> = {}
  /** How many prompts a list of them has, the last ones first. */
  promptsAtOnce = Number.POSITIVE_INFINITY
  coverage: SessionCoverage = { events: 100, native: 0, bad: 0 }
  changes: SessionChanges = { files: [], git: null, turns: 1 }
  share: SharedSession = { text: '# shared', is_cut: false, doubtful: [], masked: [{ kind: 'home', count: 3 }] }
  usage: (query: URLSearchParams) => UsageOverview = () => usageOverview([])
  sessionUsage: SessionUsage = { calls: [], more: 0, total: noCalls }
  /** Undefined: refused. */
  handover: HandoverAnswer | undefined = handover
  agents: readonly AgentEntry[] = []
  doctor: readonly Check[] = []
  hits: readonly SearchLine[] = []
  files: readonly FilesLine[] = []
  /** Every request with its size, in order. */
  readonly requests: { readonly method: string; readonly path: string; bytes: number; body: string }[] = []
  /** Requests to these paths are refused. */
  refuse: RegExp | undefined
  /** Called before each answer; a promise delays it. */
  delay: (path: string) => Promise<void> | undefined = () => undefined
  readonly #streams = new Map<ServerResponse, string | null>()
  readonly #folder: string
  #server: Server | undefined
  #port = 0
  #eventId = 0

  constructor(folder: string = join(builtFolder(), 'web')) {
    this.#folder = folder
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get followers(): number {
    return this.#streams.size
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#streams.clear()
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /** To all who follow this session; changes of the list to everybody. */
  send(change: ChangeEvent): void {
    const text = `id: ${++this.#eventId}\ndata: ${JSON.stringify(change)}\n\n`
    for (const [stream, session] of this.#streams) {
      if (change.type === 'sessions' || change.session === session) stream.write(text)
    }
  }

  /** As when the agent writes. */
  append(session: string, ...entries: readonly TranscriptEntry[]): void {
    const all = this.entries.get(session) ?? []
    for (const entry of entries) {
      const at = all.findIndex(({ event }) => event === entry.event)
      if (at < 0) all.push(entry)
      else all[at] = entry
    }
    this.entries.set(session, all)
    this.send({ type: 'entries', session, entries })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const noted = { method: request.method ?? 'GET', path: pathname + search, bytes: 0, body: '' }
    this.requests.push(noted)
    const end = response.end.bind(response)
    response.end = ((text?: string | Buffer) => {
      noted.bytes = text === undefined ? 0 : Buffer.byteLength(text)
      return end(text)
    }) as typeof response.end
    if (this.refuse?.test(pathname)) return problem(response, 500, 'it does not work today')
    if (!pathname.startsWith('/api/')) return this.#page(pathname, response)
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    noted.body = Buffer.concat(pieces).toString('utf8')
    await this.delay(noted.path)
    const [, , first, second = '', third, fourth] = pathname.split('/')
    if (first === 'changes') return this.#follow(searchParams.get('session'), response)
    const body =
      first === 'sessions' && second !== ''
        ? this.#ofSession(decodeURIComponent(second), third, fourth, searchParams, noted.method)
        : this.#ofAll(first!, searchParams)
    if (body === undefined) return problem(response, 404, `there is no ${pathname}`)
    if (Array.isArray(body) && (first === 'search' || first === 'files')) {
      return void response.end(body.map((line) => `${JSON.stringify(line)}\n`).join(''))
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }

  #ofAll(what: string, query: URLSearchParams): unknown {
    if (what === 'sessions') return this.#list(query)
    if (what === 'about') return this.about
    if (what === 'agents') return this.agents
    if (what === 'doctor') return this.doctor
    if (what === 'usage') return this.usage(query)
    if (what === 'search') return this.hits
    if (what === 'files') return this.files
    if (what !== 'filters') return undefined
    const counted = (values: readonly string[]): Map<string, number> => {
      const counts = new Map<string, number>()
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
      return counts
    }
    const filters: Filters = {
      agents: [...counted(this.sessions.map(({ agent }) => agent))].map(([id, sessions]) => ({
        id,
        title: id,
        sessions,
      })),
      projects: [...counted(this.sessions.flatMap(({ project }) => project ?? []))].map(([path, sessions]) => ({
        path,
        sessions,
      })),
      tags: [...new Set(this.sessions.flatMap(({ tags }) => tags ?? []))],
    }
    return filters
  }

  #list(query: URLSearchParams): SessionPage {
    const [agent, project] = [query.get('agent'), query.get('project')]
    const selected = this.sessions.filter(
      (session) =>
        (!agent || session.agent === agent) &&
        (!project || session.project === project) &&
        (!query.has('pinned') || session.pinned === true) &&
        (query.get('words') ?? '').split(' ').every((word) => session.title?.includes(word)),
    )
    const from = Number(query.get('after') ?? 0)
    const to = from + Number(query.get('limit') ?? 100)
    return {
      sessions: selected.slice(from, to),
      next: to < selected.length ? String(to) : null,
      total: selected.length,
      further: { sub_agents: 0, hidden: 0 },
    }
  }

  #ofSession(
    id: string,
    what: string | undefined,
    event: string | undefined,
    query: URLSearchParams,
    method: string,
  ): unknown {
    const session = this.sessions.find((one) => one.id === id) ?? this.sessions.find((one) => one.id.startsWith(id))
    if (!session) return undefined
    const all = this.entries.get(session.id) ?? []
    if (method === 'POST') {
      if (what === 'handover' || what === 'fork') return this.handover
      return {}
    }
    switch (what) {
      case undefined:
        return { ...detailOf(session), ...this.detail }
      case 'transcript':
        return windowOf(all, query, this.version)
      case 'entries':
        return all.find((entry) => entry.event === decodeURIComponent(event ?? ''))
      case 'prompts': {
        const prompts = all.flatMap(({ event, role, time, part }) =>
          role === 'user' && part.type === 'text' ? [{ event, time, text: part.text.slice(0, 200) }] : [],
        )
        const to = Number(query.get('before') ?? prompts.length)
        const from = Math.max(0, to - this.promptsAtOnce)
        return { prompts: prompts.slice(from, to), from: from === 0 ? null : String(from) } satisfies PromptList
      }
      case 'coverage':
        return this.coverage
      case 'changes':
        return this.changes
      case 'usage':
        return this.sessionUsage
      case 'raw':
        return { lines: all.slice(0, 50).map((entry) => JSON.stringify(entry)), after: null } satisfies RawWindow
      case 'share':
        return this.share
      case 'handover':
        return {
          targets: [{ agent: 'other', title: 'Other agent', command: `ion --resume ${id} --in other` }],
          fork_command: `ion --resume ${id} --fork`,
        } satisfies HandoverTargets
      default:
        return undefined
    }
  }

  #follow(session: string | null, response: ServerResponse): void {
    // The answer may have been delayed for longer than the page waited.
    if (response.closed) return
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': hello\n\n')
    if (session !== null)
      response.write(`data: ${JSON.stringify({ type: 'ready', session, version: this.version })}\n\n`)
    this.#streams.set(response, session)
    response.on('close', () => this.#streams.delete(response))
  }

  #page(path: string, response: ServerResponse): void {
    const name = path.startsWith('/assets/') ? path : '/index.html'
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, ...pageHeaders([]) })
    const file = readFileSync(join(this.#folder, name))
    if (name !== '/index.html') return void response.end(file)
    const html = file
      .toString('utf8')
      .replaceAll('"./assets/', '"/assets/')
      .replace('<html ', '<html data-app="browse" ')
    response.end(html)
  }
}

function problem(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(JSON.stringify({ title: 'Refused', status, detail }))
}

const none = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

function detailOf(session: ListedSession): SessionDetail {
  return {
    ...session,
    native_id: session.id,
    agent_title: session.agent,
    cwd: session.project,
    cwd_exists: true,
    created_at: session.updated_at,
    tool_calls: 2,
    tokens: { ...none, input: 1_200, output: 300 },
    bytes: 10_000,
    path: `/home/dev/.agent/${session.id}.jsonl`,
    archived: false,
    resumable: true,
    forked_from: null,
    name: null,
    note: null,
    resume_command: `ion --resume ${session.id}`,
    problems: session.problems ?? 0,
    sub_agents: [],
  }
}

/** Cursors are positions. */
function windowOf(
  all: readonly TranscriptEntry[],
  query: URLSearchParams,
  version: string,
): TranscriptWindow | undefined {
  const shown = all.filter(({ part }) => part.type !== 'thinking' || query.has('thinking'))
  const limit = Number(query.get('limit') ?? 100)
  const [before, after, around] = ['before', 'after', 'around'].map((name) => query.get(name))
  let from = Math.max(0, shown.length - limit)
  let to = shown.length
  if (before) [from, to] = [Math.max(0, Number(before) - limit), Number(before)]
  else if (after) [from, to] = after === 'start' ? [0, limit] : [Number(after), Number(after) + limit]
  else if (around) {
    const at = shown.findIndex(({ event }) => event === around)
    if (at < 0) return undefined
    from = Math.max(0, at - Math.floor(limit / 2))
    to = from + limit
  }
  to = Math.min(to, shown.length)
  return {
    entries: shown.slice(from, to),
    before: from > 0 ? String(from) : null,
    after: to < shown.length ? String(to) : null,
    version,
  }
}

const handover: HandoverAnswer = {
  act: 'none',
  mode: 'native',
  reason: '',
  id: null,
  events: { kept: 40, changed: 2, shortened: 1, as_text: 0, dropped: 3 },
  lossy: [{ outcome: 'left out', what: 'thinking', count: 3, reason: 'it is signed for its own model' }],
  tokens_estimated: 12_000,
  resume: null,
  brief: null,
}

/** As sessions of coding agents have them: most are read from a cache. */
function split(tokens: number) {
  const part = (share: number): number => Math.round(tokens * share)
  const [output, cache_read, cache_write] = [part(0.02), part(0.87), part(0.07)]
  return {
    ...none,
    cache_write_1h: 0,
    output,
    cache_read,
    cache_write,
    input: Math.round(tokens) - output - cache_read - cache_write,
  }
}

/** Model calls of a day, as a prepared report sums them. */
export interface Used {
  readonly day: string
  readonly tokens: number
  /** In micro-dollars; null where the model has no price. */
  readonly cost: number | null
  readonly agent?: string
  readonly model?: string | null
  readonly session?: string
  readonly project?: string
}

export function usageOverview(used: readonly Used[]): UsageOverview {
  const calls = used.map((one) => ({
    ...{ agent: 'agent-a', model: 'model-a', session: 'session-1', project: '/home/dev/project-1' },
    ...one,
    unpriced_tokens: one.cost === null ? one.tokens : 0,
  }))
  const summed = (of: typeof calls): Pick<TopRow, 'tokens' | 'cost' | 'unpriced_tokens'> => ({
    tokens: sum(of, ({ tokens }) => tokens),
    cost: of.every(({ cost }) => cost === null) ? null : sum(of, ({ cost }) => cost ?? 0),
    unpriced_tokens: sum(of, (one) => one.unpriced_tokens),
  })
  const users = (name: 'agent' | 'model' | 'session' | 'project'): TopRows => {
    const rows = [...grouped(calls, (call) => call[name] ?? '')].map(([key, of]) => ({ key, ...summed(of) }))
    return { rows, count: rows.length }
  }
  const { tokens, cost, unpriced_tokens } = summed(calls)
  const sessions = users('session')
  return {
    timezone: 'UTC',
    since: null,
    until: null,
    days: [...grouped(calls, ({ day }) => day)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, of]) => ({
        day,
        parts: of.map(({ agent, model, tokens, cost }) => ({ agent, model, tokens, cost })),
      })),
    total: {
      ...{
        calls: calls.length * 7,
        sums: 0,
        tokens: split(tokens),
        cost,
        cost_given: null,
        given_to_compare: null,
        cost_to_compare: null,
      },
      ...{ unpriced_calls: calls.filter((one) => one.cost === null).length, unpriced_tokens },
    },
    agents: users('agent'),
    models: users('model'),
    projects: users('project'),
    sessions: { ...sessions, rows: sessions.rows.map((row) => ({ ...row, title: `Title of ${row.key}` })) },
    unpriced: [{ model: 'model-without-price', calls: 2, tokens: 9_000, has_rates: false }],
    repeated: 4,
    prices: { source: 'LiteLLM', date: '2026-11-10', digest: 'abc' },
  }
}

function sum<Thing>(things: readonly Thing[], of: (thing: Thing) => number): number {
  return things.reduce((total, thing) => total + of(thing), 0)
}
