import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { extname, join } from 'node:path'
import { builtFolder } from '../support/built.ts'

export type Part =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean; truncated?: true }
  | { type: 'note'; subtype: string; text: string }

export interface Message {
  id: number
  role: 'user' | 'agent'
  content: string
  time: string
  parts: Part[]
  done: boolean
}

/** What a real server would say of the agent, as far as a test does not say otherwise. */
const STATUS = {
  status: 'stable',
  agent_type: 'codex',
  transport: 'pty',
  agent: 'codex',
  task: 'main',
  session_id: '3f2a7c1e-0000-4000-8000-000000000001',
  title: 'Refunds are paid twice',
  waiting_for: null as string | null,
  exited: null as number | null,
  version: '0.1.0',
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
 * Speaks the contract of `ion serve` with scripted histories, so that the page can be tried with what a real agent would
 * not do on demand: five thousand messages, hostile text, a server that dies and comes back.
 */
export class MockServer {
  messages: Message[] = []
  status = { ...STATUS }
  screen = 'the screen'
  /** What a proxy puts before every path. */
  prefix = ''
  /** Bodies of what was posted, with the path. */
  readonly posted: { path: string; body: string }[] = []
  /** `Last-Event-ID` and query of each connection to /events. */
  readonly connections: { lastEventId: string | undefined; query: string }[] = []
  /** What a post is refused with. */
  refuse: { status: number; detail: string } | undefined
  /** Called for each message that was taken. */
  onMessage: (text: string) => void = () => undefined
  readonly #folder: string
  readonly #clients = new Map<ServerResponse, 'events' | 'screen'>()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0
  #events = 0

  constructor(folder: string = join(builtFolder(), 'web')) {
    this.#folder = folder
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.prefix}/chat/embed`
  }

  /** Again after `stop`, it has the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response))
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  /** As kill -9 would: connections break. */
  async stop(): Promise<void> {
    this.#clients.clear()
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /** Adds a message, or replaces the one with its id, and tells those who listen. */
  put(message: Message): void {
    const index = this.messages.findIndex(({ id }) => id === message.id)
    if (index < 0) this.messages.push(message)
    else this.messages[index] = message
    this.#tell('events', 'message_update', updateOf(message))
  }

  /** As when the user goes back in the agent: these are no longer part of the conversation. */
  remove(ids: readonly number[]): void {
    this.messages = this.messages.filter(({ id }) => !ids.includes(id))
    for (const id of ids) this.#tell('events', 'message_removed', { id })
  }

  setStatus(change: Partial<typeof STATUS>): void {
    Object.assign(this.status, change)
    this.#tell('events', 'status_change', this.status)
  }

  setScreen(screen: string): void {
    this.screen = screen
    this.#tell('screen', 'screen', { screen })
  }

  #tell(whom: 'events' | 'screen', name: string, data: unknown): void {
    const text = `id: ${++this.#events}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
    for (const [client, what] of this.#clients) if (what === whom) client.write(text)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const query = url.searchParams
    if (!url.pathname.startsWith(this.prefix)) return void response.writeHead(404).end()
    url.pathname = url.pathname.slice(this.prefix.length)
    if (request.method === 'POST') return this.#take(url.pathname, request, response)
    if (url.pathname.startsWith('/chat/')) return this.#file(url.pathname.slice('/chat/'.length), response)
    const [, first, second] = url.pathname.split('/')
    if (first === 'status') return json(response, this.status)
    if (first === 'messages' && second) return json(response, this.messages[Number(second)])
    if (first === 'messages') return json(response, { messages: this.#page(query) })
    if (first === 'events') return this.#events_(request, query, response)
    if (first === 'internal') return this.#listen(response, 'screen', [['screen', { screen: this.screen }]])
    if (first === 'share') return text(response, 'text/markdown', `# ${this.status.title}\n\nmasked: [home]/.env\n`)
    if (first === 'export') {
      response.setHeader('content-disposition', `attachment; filename="session.${query.get('format')}"`)
      return text(response, 'text/plain', 'exported')
    }
    if (first === 'search') return json(response, this.#search(query.get('q') ?? ''))
    response.writeHead(404).end()
  }

  #page(query: URLSearchParams): Message[] {
    const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise)
    const [after, before] = [number('after', -1), number('before', Number.POSITIVE_INFINITY)]
    const between = this.messages.filter(({ id }) => id > after && id < before).map(cut)
    const limit = number('limit', Number.POSITIVE_INFINITY)
    return query.has('after') ? between.slice(0, limit) : between.slice(-limit)
  }

  #search(words: string): unknown[] {
    return this.messages
      .filter((message) => JSON.stringify(message).toLowerCase().includes(words.toLowerCase()))
      .map(({ id, role, content }) => ({ id, role, snippet: content.slice(0, 60) }))
  }

  #events_(request: IncomingMessage, query: URLSearchParams, response: ServerResponse): void {
    const lastEventId = request.headers['last-event-id'] as string | undefined
    this.connections.push({ lastEventId, query: query.toString() })
    const after = Number(query.get('after') ?? -1)
    const missed = this.messages.filter(({ id }) => id > after).map((message) => ['message_update', updateOf(message)])
    this.#listen(response, 'events', [...(missed as [string, unknown][]), ['status_change', this.status]])
  }

  #listen(response: ServerResponse, what: 'events' | 'screen', first: readonly [string, unknown][]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': hello\n\n')
    for (const [name, data] of first) {
      response.write(`id: ${++this.#events}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    this.#clients.set(response, what)
    response.on('close', () => this.#clients.delete(response))
  }

  async #take(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString('utf8')
    this.posted.push({ path, body })
    if (this.refuse) {
      const { status, detail } = this.refuse
      response.writeHead(status, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ title: 'Refused', status, detail }))
      return
    }
    if (path === '/message') {
      const { content, type } = JSON.parse(body) as { content: string; type: string }
      if (type === 'user') this.onMessage(content)
    }
    json(response, path === '/upload' ? { ok: true, filePath: '/home/dev/uploads/picture.png' } : { ok: true })
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
  const { content, ...rest } = cut(message)
  return { ...rest, message: content }
}

/** Long results are cut until one asks for the message itself. */
function cut(message: Message): Message {
  const parts = message.parts.map((part) =>
    part.type === 'tool_result' && part.content.length > 4096
      ? { ...part, content: part.content.slice(0, 4096), truncated: true as const }
      : part,
  )
  return { ...message, parts }
}

function json(response: ServerResponse, value: unknown): void {
  text(response, 'application/json', JSON.stringify(value))
}

function text(response: ServerResponse, type: string, body: string): void {
  response.setHeader('content-type', type)
  response.end(body)
}
