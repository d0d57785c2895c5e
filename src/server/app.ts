import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Io } from '../platform/io.ts'
import type { Chat } from './chat.ts'
import { docsPage } from './docs-page.ts'
import { type Documents, documentFormats, isDocumentFormat } from './documents.ts'
import { EventStreams } from './event-stream.ts'
import { type GuardOptions, hostGuard, originGuard, tokenGuard } from './guard.ts'
import { type Message, messageJson } from './message.ts'
import { openapi } from './openapi.ts'
import { pageFile, pageHeaders, pagePlaces } from './page.ts'
import { failed, invalid, problem } from './problem.ts'
import { LARGEST_BODY, messageRequest } from './request-body.ts'
import { searchMessages } from './search.ts'
import { MessageNotSent, sendMessage } from './send-message.ts'
import { messagesJson, WrittenMessages } from './serialized-messages.ts'
import { wholeMessage } from './untruncated-message.ts'
import { keepUpload, LARGEST_UPLOAD } from './upload.ts'

export interface AppOptions extends GuardOptions {
  readonly chat: Chat
  readonly documents: Documents
  /** Where the built chat page is. */
  readonly webFolder: string
  readonly version: string
  readonly io: Io
  readonly heartbeatMs?: number
}

export interface ServerApp {
  readonly app: Hono<Env>
  close(): void
}

interface Env {
  Bindings: HttpBindings
}

const HEARTBEAT_MS = 15_000
const MOST_READERS = 10_000
/** What goes around a file in a form. */
const FORM_SLACK = 64 * 1024
/** What interrupts an agent, where its adapter knows nothing else. */
const ESCAPE = '\x1b'

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'x-accel-buffering': 'no',
  'x-proxy-buffering': 'no',
  connection: 'keep-alive',
  'x-content-type-options': 'nosniff',
}

/** All that the server answers: AgentAPI's endpoints, what Ion adds to them, and the page. */
export function serverApp(options: AppOptions): ServerApp {
  const { chat, documents, webFolder, version, io, chatBasePath } = options
  const streaming = { heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS, most: MOST_READERS }
  const events = new EventStreams(chat.events, streaming)
  const screens = new EventStreams(chat.screens, streaming)
  const written = new WrittenMessages()
  const stop = chat.onChange(() => {
    events.tell()
    screens.tell()
  })
  const app = new Hono<Env>()
  app.use(hostGuard(options), originGuard(options), tokenGuard(options), refuseHead)

  app.get('/status', (context) => {
    const { agent, task } = chat
    const { status, waiting_for, session_id, title, exited } = chat.status
    const known = { status, agent_type: agent.agentapiType, transport: 'pty' }
    const added = { agent: agent.id, task: task.name, session_id, title, waiting_for, exited, version }
    return context.json({ ...known, ...added })
  })
  app.get('/messages', (context) => {
    const chosen = chosenMessages(context, chat.messages)
    if (chosen instanceof Response) return chosen
    if (chosen === chat.messages) return sendPieces(context, written.pieces(chosen))
    return context.body(messagesJson(chosen), 200, { 'content-type': 'application/json' })
  })
  app.get('/messages/:id', async (context) => {
    const message = chat.messages.find(({ id }) => String(id) === context.req.param('id'))
    if (!message) return problem(context, 404, `there is no message ${context.req.param('id')}`)
    const { head } = chat.transcript
    return context.json(messageJson(head ? await wholeMessage(message, chat.agent, head, io) : message))
  })
  app.post('/message', limited(LARGEST_BODY, bodyTooLarge), async (context) => {
    const request = await messageRequest(context)
    if (request instanceof Response) return request
    try {
      if (request.type === 'user') await sendMessage(chat, request.content)
      else if (!(await chat.host.type(request.content))) throw new MessageNotSent('the agent takes no input')
    } catch (error) {
      if (error instanceof MessageNotSent) return failed(context, error.message)
      throw error
    }
    return context.json({ ok: true })
  })
  app.post('/interrupt', async (context) => {
    const keys = chat.agent.start?.interrupt ?? ESCAPE
    if (!(await chat.host.type(keys))) return failed(context, 'the agent takes no input')
    return context.json({ ok: true })
  })
  app.post('/upload', limited(LARGEST_UPLOAD + FORM_SLACK, fileTooLarge), async (context) => {
    const form = await context.req.parseBody().catch(() => undefined)
    const isForm = /^multipart\/form-data\b/i.test(context.req.header('content-type') ?? '')
    if (!form || !isForm) {
      return invalid(context, 422, { message: 'cannot read multipart form', location: 'body' })
    }
    const { file } = form
    if (!(file instanceof File)) return invalid(context, 422, { message: 'File required', location: 'file' })
    if (file.size > LARGEST_UPLOAD) return fileTooLarge(context)
    const filePath = keepUpload(chat.task.folder, file.name, new Uint8Array(await file.arrayBuffer()))
    return context.json({ ok: true, filePath })
  })

  app.get('/events', (context) => {
    const after = wholeNumber(context.req.query('after'))
    return stream(context, events, after, context.req.header('last-event-id'))
  })
  app.get('/internal/screen', (context) => stream(context, screens, undefined, undefined))

  app.get('/sessions', async (context) => context.json({ sessions: await documents.sessions() }))
  app.get('/search', (context) => context.json(searchMessages(chat.messages, context.req.query('q') ?? '')))
  app.get('/share', (context) => documentAnswer(context, options, 'share'))
  app.get('/export', (context) => {
    const format = context.req.query('format') ?? 'md'
    if (isDocumentFormat(format)) return documentAnswer(context, options, format)
    const message = `expected one of ${documentFormats.join(', ')}`
    return invalid(context, 422, { message, location: 'query.format', value: format })
  })

  app.get('/openapi.json', (context) =>
    context.body(JSON.stringify(openapi(version)), 200, { 'content-type': 'application/vnd.oai.openapi+json' }),
  )
  const headers = pageHeaders(options.allowedOrigins)
  app.get('/docs', (context) => context.html(docsPage(openapi(version)), 200, headers))
  const toPage = (context: Context): Response => {
    const aim = `${chatBasePath}/embed`
    return context.html(`<a href="${aim}">Temporary Redirect</a>.\n`, 307, { location: aim })
  }
  app.get('/', toPage)
  for (const base of pagePlaces(chatBasePath)) {
    // What the page loads is named from beside it.
    app.get(`${base}/embed/`, (context) => context.redirect('../embed', 307))
    app.get(base === '' ? '/*' : `${base}/*`, (context) =>
      pageFile(context, webFolder, new URL(context.req.url).pathname.slice(base.length), headers),
    )
    if (base !== '') app.get(base, toPage)
  }

  app.notFound((context) => notFound(context, app))
  app.onError((error, context) => failed(context, error.message))
  return {
    app,
    close() {
      stop()
      events.close()
      screens.close()
    },
  }
}

/** As AgentAPI does. A stream has no head without its body, and nobody asks for that of the rest. */
async function refuseHead(context: Context, next: () => Promise<void>): Promise<Response | undefined> {
  if (context.req.raw.method === 'HEAD') return context.body(null, 405, { allow: 'GET' })
  await next()
  return undefined
}

function limited(most: number, refuse: (context: Context) => Response): ReturnType<typeof bodyLimit> {
  return bodyLimit({
    maxSize: most,
    onError: (context) => {
      // What is still on its way is not read.
      context.header('connection', 'close')
      return refuse(context)
    },
  })
}

function bodyTooLarge(context: Context): Response {
  return problem(context, 413, `request body is too large limit=${LARGEST_BODY} bytes`)
}

function fileTooLarge(context: Context): Response {
  return problem(context, 400, 'file size exceeds 10MB limit')
}

/** `after` and `before` are ids and not part of the answer; `limit` takes the last ones, or the first after `after`. */
function chosenMessages(context: Context, all: readonly Message[]): readonly Message[] | Response {
  const [after, before, limit] = ['after', 'before', 'limit'].map((name) => {
    const given = context.req.query(name)
    const number = wholeNumber(given)
    return given !== undefined && number === undefined ? { name, given } : number
  })
  for (const one of [after, before, limit]) {
    if (typeof one !== 'object') continue
    return invalid(context, 422, { message: 'expected integer', location: `query.${one.name}`, value: one.given })
  }
  const [from, to, most] = [after, before, limit] as (number | undefined)[]
  if (from === undefined && to === undefined && most === undefined) return all
  const chosen = all.filter(({ id }) => (from === undefined || id > from) && (to === undefined || id < to))
  if (most === undefined) return chosen
  return from === undefined ? chosen.slice(Math.max(0, chosen.length - most)) : chosen.slice(0, most)
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Written by hand: a `Response` would copy all of it for each who asks, and hold the copy for as long as they read. */
function sendPieces(context: Context<Env>, pieces: readonly Buffer[]): Response {
  const { outgoing } = context.env
  const length = pieces.reduce((sum, { length }) => sum + length, 0)
  const headers = Object.fromEntries(context.res.headers)
  outgoing.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': length })
  // One write to the system, not one for each piece.
  outgoing.cork()
  for (const piece of pieces) outgoing.write(piece)
  outgoing.end()
  outgoing.uncork()
  return RESPONSE_ALREADY_SENT
}

/** The response is written by hand: a thousand readers get the same bytes, and each at its own pace. */
function stream(
  context: Context<Env>,
  streams: EventStreams,
  after: number | undefined,
  lastEventId: string | undefined,
): Response {
  if (streams.isFull) return problem(context, 503, 'too many readers')
  const { outgoing } = context.env
  const headers = Object.fromEntries(context.res.headers)
  outgoing.writeHead(200, { ...headers, ...STREAM_HEADERS })
  outgoing.flushHeaders()
  const { socket } = outgoing
  if (socket) streams.add(socket, isModern(context.env.incoming.httpVersionMinor), after, lastEventId)
  return RESPONSE_ALREADY_SENT
}

/** HTTP 1.0 knows no pieces with their length before them. */
function isModern(minor: number): boolean {
  return minor > 0
}

async function documentAnswer(
  context: Context,
  { chat, documents }: AppOptions,
  kind: Parameters<Documents['open']>[0],
): Promise<Response> {
  const { session_id } = chat.status
  if (session_id === null) return problem(context, 404, 'the agent has no session yet')
  const document = await documents.open(kind, session_id)
  if (!document) return problem(context, 503, 'other documents are being made; try again in a moment')
  context.req.raw.signal.addEventListener('abort', () => document.close())
  const disposition = `attachment; filename="${document.name}"`
  return context.body(document.body, 200, {
    'content-type': document.type,
    'x-content-type-options': 'nosniff',
    ...(kind === 'share' ? {} : { 'content-disposition': disposition }),
  })
}

/** A path that is there for another method is told so. */
function notFound(context: Context, app: Hono<Env>): Response {
  const path = new URL(context.req.url).pathname
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map(({ method }) => method)
  if (methods.length > 0) return context.body(null, 405, { allow: [...new Set(methods)].join(', ') })
  return context.text('404 page not found\n', 404, { 'x-content-type-options': 'nosniff' })
}
