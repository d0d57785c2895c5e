import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import {
  eventBodies,
  type Message,
  type MessagePreview,
  type Problem,
  type Replica,
  type Status,
  schemas,
} from '../../src/server/contract.ts'
import { builtFolder } from '../support/built.ts'

type SchemaName = keyof typeof schemas

/** The bodies of all events, with the screen's, which is not part of the published description. */
const bodies = { ...eventBodies, screen: 'ScreenUpdateBody' } as const

/** The status unless a test changes it. */
const STATUS: Status = {
  status: 'stable',
  agent_type: 'codex',
  transport: 'pty',
  agent: 'codex',
  task: 'main',
  project: '/home/dev/shop',
  session_id: '3f2a7c1e-0000-4000-8000-000000000001',
  title: 'Refunds are paid twice',
  waiting_for: null,
  exited: null,
  replica: null,
  version: '0.1.0',
}

/** `waiting_for` of an agent that asks. Without choices Ion does not know the screen. */
export function asking(text: string, details = '', ...choices: readonly string[]): NonNullable<Status['waiting_for']> {
  return { id: text, text, details, choices: choices.map((label, index) => ({ key: String(index + 1), label })) }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** The strictest policy that `ion serve` sends. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * A server with scripted histories, so that the page can be tested with what a real agent would not do on demand: five
 * thousand messages, hostile text, a server that dies and comes back. Everything it sends is checked against the contract
 * of `ion serve`.
 */
export class MockServer {
  messages: Message[] = []
  status: Status = { ...STATUS }
  /** What it sent that the contract does not allow. */
  readonly violations: string[] = []
  screen = 'the screen'
  /** The prefix that a proxy adds to every path. */
  prefix = ''
  /** Path and body of each POST. */
  readonly posted: { path: string; body: string }[] = []
  /** `Last-Event-ID` and query of each connection to /events. */
  readonly connections: { lastEventId: string | undefined; query: string }[] = []
  /** The error response to every POST. */
  refuse: { status: number; detail: string } | undefined
  /** Called for each answer to a question. */
  onAnswer: (choice: string) => void = () => undefined
  /** Called when the page starts the agent again. */
  onStart: () => void = () => undefined
  /** Called for each accepted message. */
  onMessage: (text: string) => void = () => undefined
  readonly #folder: string
  readonly #clients = new Map<ServerResponse, 'events' | 'screen'>()
  #server: Server | undefined
  #preview: MessagePreview | undefined
  #port = 0
  #eventId = 0

  constructor(folder: string = join(builtFolder(), 'web')) {
    this.#folder = folder
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.prefix}/chat/embed`
  }

  /** After `stop`, it listens on the same port again. */
  async start(): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  /** Like kill -9: connections break. */
  async stop(): Promise<void> {
    this.#clients.clear()
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /** Adds a message, or replaces the one with its id, and sends it to all readers. */
  put(message: Message): void {
    const index = this.messages.findIndex(({ id }) => id === message.id)
    if (index < 0) this.messages.push(message)
    else this.messages[index] = message
    this.#send('events', 'message_update', updateOf(message))
  }

  /** As when the user rewinds the session: these are no longer part of the conversation. */
  remove(ids: readonly number[]): void {
    this.messages = this.messages.filter(({ id }) => !ids.includes(id))
    for (const id of ids) this.#send('events', 'message_removed', { id })
  }

  /** What the agent is writing: sent to all readers, and to new ones. */
  setPreview(preview: MessagePreview): void {
    this.#preview = preview
    this.#send('events', 'message_preview', preview)
  }

  setStatus(change: Partial<Status>): void {
    this.status = { ...this.status, ...change }
    this.#send('events', 'status_change', this.#statusChange())
  }

  setReplica(replica: Replica): void {
    this.status = { ...this.status, replica }
    this.#send('events', 'replica_change', replica)
  }

  setScreen(screen: string): void {
    this.screen = screen
    this.#send('screen', 'screen', { screen })
  }

  #statusChange(): object {
    const { status, agent_type, waiting_for } = this.status
    return { status, agent_type, waiting_for }
  }

  #send(stream: 'events' | 'screen', name: keyof typeof bodies, data: unknown): void {
    const text = this.#event(name, data)
    for (const [client, what] of this.#clients) if (what === stream) client.write(text)
  }

  #event(name: keyof typeof bodies, data: unknown): string {
    return `id: ${++this.#eventId}\nevent: ${name}\ndata: ${this.#checked(bodies[name], data)}\n\n`
  }

  /** The value as JSON. */
  #checked(name: SchemaName, value: unknown): string {
    const { error } = schemas[name].safeParse(value)
    for (const { path, message } of error?.issues ?? []) this.violations.push(`${name}.${path.join('.')}: ${message}`)
    return JSON.stringify(value)
  }

  #json(response: ServerResponse, name: SchemaName, value: unknown): void {
    text(response, 'application/json', this.#checked(name, value))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const query = url.searchParams
    if (!url.pathname.startsWith(this.prefix)) return void response.writeHead(404).end()
    url.pathname = url.pathname.slice(this.prefix.length)
    if (request.method === 'POST') return this.#post(url.pathname, request, response)
    if (url.pathname.startsWith('/chat/')) return this.#file(url.pathname.slice('/chat/'.length), response)
    const [, first, second] = url.pathname.split('/')
    if (first === 'status') return this.#json(response, 'StatusResponseBody', this.status)
    if (first === 'messages' && second) return this.#json(response, 'FullMessage', this.messages[Number(second)])
    if (first === 'messages') return this.#json(response, 'MessagesResponseBody', { messages: this.#page(query) })
    if (first === 'events') return this.#openEvents(request, query, response)
    if (first === 'internal') {
      return this.#open(response, 'screen', [this.#event('screen', { screen: this.screen })])
    }
    if (first === 'share') return text(response, 'text/markdown', `# ${this.status.title}\n\nmasked: [home]/.env\n`)
    if (first === 'handover') {
      const targets = [
        { agent: 'claude', title: 'Claude Code' },
        { agent: 'goose', title: 'Goose' },
      ]
      return text(response, 'application/json', this.#checked('HandoverResponseBody', { targets }))
    }
    if (first === 'export') {
      response.setHeader('content-disposition', `attachment; filename="session.${query.get('format')}"`)
      return text(response, 'text/plain', 'exported')
    }
    if (first === 'search') {
      const matches = this.#search(query.get('q') ?? '').map((match) => this.#checked('SearchMatch', match))
      return text(response, 'application/json', `[${matches.join(',')}]`)
    }
    response.writeHead(404).end()
  }

  #page(query: URLSearchParams): Message[] {
    const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise)
    const [after, before] = [number('after', -1), number('before', Number.POSITIVE_INFINITY)]
    const between = this.messages.filter(({ id }) => id > after && id < before).map(truncated)
    const limit = number('limit', Number.POSITIVE_INFINITY)
    return query.has('after') ? between.slice(0, limit) : between.slice(-limit)
  }

  #search(words: string): unknown[] {
    return this.messages
      .filter((message) => JSON.stringify(message).toLowerCase().includes(words.toLowerCase()))
      .map(({ id, role, content }) => ({ id, role, snippet: content.slice(0, 60) }))
  }

  #openEvents(request: IncomingMessage, query: URLSearchParams, response: ServerResponse): void {
    const lastEventId = request.headers['last-event-id'] as string | undefined
    this.connections.push({ lastEventId, query: query.toString() })
    const after = Number(query.get('after') ?? -1)
    const missed = this.messages.filter(({ id }) => id > after)
    const updates = missed.map((message) => this.#event('message_update', updateOf(message)))
    if (this.#preview?.text) updates.push(this.#event('message_preview', this.#preview))
    updates.push(this.#event('status_change', this.#statusChange()))
    if (this.status.replica) updates.push(this.#event('replica_change', this.status.replica))
    this.#open(response, 'events', updates)
  }

  #open(response: ServerResponse, stream: 'events' | 'screen', current: readonly string[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': hello\n\n')
    response.write(current.join(''))
    this.#clients.set(response, stream)
    response.on('close', () => this.#clients.delete(response))
  }

  async #post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString('utf8')
    this.posted.push({ path, body })
    if (this.refuse) {
      const { status, detail } = this.refuse
      response.writeHead(status, { 'content-type': 'application/problem+json' })
      const problem: Problem = { title: 'Refused', status, detail }
      response.end(this.#checked('ErrorModel', problem))
      return
    }
    if (path === '/upload') {
      return this.#json(response, 'UploadResponseBody', { ok: true, filePath: '/home/dev/uploads/picture.png' })
    }
    if (path === '/start') this.onStart()
    if (path === '/answer') {
      const request = JSON.parse(body)
      this.#checked('AnswerRequestBody', request)
      this.onAnswer(request.choice)
    }
    if (path === '/message') {
      const request = JSON.parse(body)
      this.#checked('MessageRequestBody', request)
      if (request.type === 'user') this.onMessage(request.content)
    }
    this.#json(response, 'MessageResponseBody', { ok: true })
  }

  #file(path: string, response: ServerResponse): void {
    const name = path === 'embed' ? 'index.html' : path
    response.writeHead(200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    response.end(readFileSync(join(this.#folder, name)))
  }
}

function updateOf(message: Message): unknown {
  const { content, ...rest } = truncated(message)
  return { ...rest, message: content }
}

/** Long results are truncated until the message itself is requested. */
function truncated(message: Message): Message {
  const parts = message.parts.map((part) =>
    part.type === 'tool_result' && part.content.length > 4096
      ? { ...part, content: part.content.slice(0, 4096), truncated: true as const }
      : part,
  )
  return { ...message, parts }
}

function text(response: ServerResponse, type: string, body: string): void {
  response.setHeader('content-type', type)
  response.end(body)
}
