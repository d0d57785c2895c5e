import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { toJsonText } from '../platform/json-text.ts'
import { answerQuestion } from './answer-question.ts'
import type { Chat } from './chat.ts'
import type { HandoverTarget, Message, Status } from './contract.ts'
import { type Documents, documentFormats } from './documents.ts'
import { type EventForm, EventStreams } from './event-stream.ts'
import { type GuardOptions, hostGuard, originGuard, tokenGuard } from './guard.ts'
import { messageJson } from './message.ts'
import { pageFile, pageHeaders, pagePaths } from './page.ts'
import { failed, invalid, problem } from './problem.ts'
import { answerRequest, LARGEST_BODY, messageRequest } from './request-body.ts'
import { searchMessages } from './search.ts'
import { MessageNotSent, sendMessage } from './send-message.ts'
import { messagesJson, SerializedMessages } from './serialized-messages.ts'
import { untruncatedMessage } from './untruncated-message.ts'
import { LARGEST_UPLOAD, saveUpload } from './upload.ts'

export interface AppOptions extends GuardOptions {
  readonly chat: Chat
  readonly documents: Documents
  /** The folder of the built chat page. */
  readonly webFolder: string
  readonly version: string
  readonly io: Io
  /** Starts the agent again in the background, unless it runs. Throws if it cannot be started. */
  readonly startAgent: () => Promise<void>
  /** The installed agents in which the session can be continued. */
  readonly handoverTargets: () => readonly HandoverTarget[]
  readonly heartbeatMs?: number
}

export interface ServerApp {
  readonly app: Hono<Env>
  close(): void
}

export interface Env {
  Bindings: HttpBindings
}

const HEARTBEAT_MS = 15_000
const MAX_READERS = 10_000
/** What a form adds to its file. */
const FORM_OVERHEAD = 64 * 1024
/** Interrupts an agent whose adapter does not say otherwise. */
const ESCAPE = '\x1b'

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'x-accel-buffering': 'no',
  'x-proxy-buffering': 'no',
  connection: 'close',
  'x-content-type-options': 'nosniff',
}

/** Like `context.json`, in Ion's form of JSON. */
export function json(context: Context<Env>, value: unknown): Response {
  return context.body(toJsonText(value), 200, { 'content-type': 'application/json' })
}

/** AgentAPI's endpoints, Ion's additions, and the chat page. */
export function serverApp(options: AppOptions): ServerApp {
  const { chat, documents, webFolder, version, io, chatBasePath } = options
  const streaming = { heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS, maxReaders: MAX_READERS }
  const events = new EventStreams(chat.events, { ...streaming, form: 'agentapi' })
  const fullEvents = new EventStreams(chat.events, { ...streaming, form: 'full' })
  const screens = new EventStreams(chat.screens, { ...streaming, form: 'agentapi' })
  const serialized = { agentapi: new SerializedMessages('agentapi'), full: new SerializedMessages('full') }
  const unsubscribe = chat.onChange(() => {
    events.notify()
    fullEvents.notify()
    screens.notify()
  })
  const app = new Hono<Env>()
  app.use(hostGuard(options), originGuard(options), tokenGuard(options), refuseHead)

  app.get('/status', (context) => {
    const { agent, task, replica } = chat
    const { status, waiting_for, session_id, title, exited } = chat.status
    const of = { agent: agent.id, task: task.name, project: task.project }
    const added = { ...of, session_id, title, waiting_for, exited, replica }
    const body: Status = { status, agent_type: agent.agentapiType, transport: 'pty', ...added, version }
    return json(context, body)
  })
  app.get('/messages', (context) => {
    const selected = selectMessages(context, chat.messages)
    if (selected instanceof Response) return selected
    const form = formOf(context)
    if (selected === chat.messages) return sendChunks(context, serialized[form].chunks(selected))
    return context.body(messagesJson(selected, form), 200, { 'content-type': 'application/json' })
  })
  app.get('/messages/:id', async (context) => {
    const message = chat.messages.find(({ id }) => String(id) === context.req.param('id'))
    if (!message) return problem(context, 404, `there is no message ${context.req.param('id')}`)
    const { head } = chat.transcript
    return json(context, messageJson(head ? await untruncatedMessage(message, chat.agent, head, io) : message, 'full'))
  })
  app.post('/message', limited(LARGEST_BODY, bodyTooLarge), async (context) => {
    const request = await messageRequest(context)
    if (request instanceof Response) return request
    if (request.type === 'user') await sendMessage(chat, request.content)
    else if (!(await chat.host.type(request.content))) throw new MessageNotSent('the agent does not accept input')
    return json(context, { ok: true })
  })
  app.post('/answer', limited(LARGEST_BODY, bodyTooLarge), async (context) => {
    const request = await answerRequest(context)
    if (request instanceof Response) return request
    const refusal = await answerQuestion(chat, request, io)
    if (refusal) return problem(context, refusal.status, refusal.detail)
    return json(context, { ok: true })
  })
  app.post('/interrupt', async (context) => {
    const keys = chat.agent.start?.interrupt ?? ESCAPE
    if (!(await chat.host.type(keys))) return failed(context, 'the agent does not accept input')
    return json(context, { ok: true })
  })
  app.post('/start', async (context) => {
    try {
      await options.startAgent()
      return json(context, { ok: true })
    } catch (error) {
      if (!(error instanceof IonError)) throw error
      const { kind, message, hint } = error
      return problem(context, kind === 'refused' ? 409 : 500, hint ? `${message} (${hint})` : message)
    }
  })
  app.post('/upload', limited(LARGEST_UPLOAD + FORM_OVERHEAD, fileTooLarge), async (context) => {
    const form = await context.req.parseBody().catch(() => undefined)
    const isForm = /^multipart\/form-data\b/i.test(context.req.header('content-type') ?? '')
    if (!form || !isForm) {
      return invalid(context, 422, { message: 'cannot read multipart form', location: 'body' })
    }
    const { file } = form
    if (!(file instanceof File)) return invalid(context, 422, { message: 'File required', location: 'file' })
    if (file.size > LARGEST_UPLOAD) return fileTooLarge(context)
    const filePath = saveUpload(chat.task.folder, file.name, new Uint8Array(await file.arrayBuffer()))
    return json(context, { ok: true, filePath })
  })

  app.get('/events', (context) => {
    const after = parseInteger(context.req.query('after'))
    const streams = formOf(context) === 'full' ? fullEvents : events
    return stream(context, streams, after, context.req.header('last-event-id'))
  })
  app.get('/internal/screen', (context) => stream(context, screens, undefined, undefined))

  app.get('/sessions', async (context) => json(context, { sessions: await documents.sessions() }))
  app.get('/search', (context) => json(context, searchMessages(chat.messages, context.req.query('q') ?? '')))
  app.get('/handover', (context) => json(context, { targets: options.handoverTargets() }))
  app.get('/share', (context) => sendDocument(context, options, 'share'))
  app.get('/export', (context) => {
    const value = context.req.query('format') ?? 'md'
    const format = documentFormats.find((known) => known === value)
    if (format) return sendDocument(context, options, format)
    const message = `expected one of ${documentFormats.join(', ')}`
    return invalid(context, 422, { message, location: 'query.format', value })
  })

  // Imported on demand: it loads zod.
  app.get('/openapi.json', async (context) => {
    const { openapi } = await import('./openapi.ts')
    const type = { 'content-type': 'application/vnd.oai.openapi+json' }
    return context.body(toJsonText(openapi(version)), 200, type)
  })
  const headers = pageHeaders(options.allowedOrigins)
  app.get('/docs', async (context) => {
    const { docsPage } = await import('./openapi.ts')
    return context.html(docsPage(), 200, headers)
  })
  const redirectToPage = (context: Context): Response => {
    const target = `${chatBasePath}/embed`
    return context.html(`<a href="${target}">Temporary Redirect</a>.\n`, 307, { location: target })
  }
  app.get('/', redirectToPage)
  for (const base of pagePaths(chatBasePath)) {
    // The page loads its files by paths relative to its own.
    app.get(`${base}/embed/`, (context) => context.redirect('../embed', 307))
    app.get(base === '' ? '/*' : `${base}/*`, (context) =>
      pageFile(context, webFolder, new URL(context.req.url).pathname.slice(base.length), headers),
    )
    if (base !== '') app.get(base, redirectToPage)
  }

  app.notFound((context) => notFound(context, app))
  app.onError((error, context) => failed(context, error.message))
  return {
    app,
    close() {
      unsubscribe()
      events.close()
      fullEvents.close()
      screens.close()
    },
  }
}

/** As AgentAPI does: a stream cannot be answered without its body, and nobody needs HEAD for the rest. */
export async function refuseHead(context: Context, next: () => Promise<void>): Promise<Response | undefined> {
  if (context.req.raw.method === 'HEAD') return context.body(null, 405, { allow: 'GET' })
  await next()
  return undefined
}

export function limited(maxSize: number, refuse: (context: Context) => Response): ReturnType<typeof bodyLimit> {
  return bodyLimit({
    maxSize,
    onError: (context) => {
      // The rest of the body is not read.
      context.header('connection', 'close')
      return refuse(context)
    },
  })
}

export function bodyTooLarge(context: Context): Response {
  return problem(context, 413, `request body is too large limit=${LARGEST_BODY} bytes`)
}

function fileTooLarge(context: Context): Response {
  return problem(context, 400, 'file size exceeds 10MB limit')
}

/** `after` and `before` are exclusive ids; `limit` selects the last ones, or with `after` the first ones. */
function selectMessages(context: Context, all: readonly Message[]): readonly Message[] | Response {
  const query: { after?: number; before?: number; limit?: number } = {}
  for (const name of ['after', 'before', 'limit'] as const) {
    const value = context.req.query(name)
    if (value === undefined) continue
    const number = parseInteger(value)
    if (number === undefined) {
      return invalid(context, 422, { message: 'expected integer', location: `query.${name}`, value })
    }
    query[name] = number
  }
  const { after, before, limit } = query
  if (after === undefined && before === undefined && limit === undefined) return all
  const selected = all.filter(({ id }) => (after === undefined || id > after) && (before === undefined || id < before))
  if (limit === undefined) return selected
  return after === undefined ? selected.slice(Math.max(0, selected.length - limit)) : selected.slice(0, limit)
}

/** Clients of AgentAPI get what they know, in the sizes that they can read. */
function formOf(context: Context): EventForm {
  return context.req.query('full') === 'true' ? 'full' : 'agentapi'
}

function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Past Hono: its `Response` would copy the chunks for each request, and keep the copy until the client has read it. */
function sendChunks(context: Context<Env>, chunks: readonly Buffer[]): Response {
  const { outgoing } = context.env
  const length = chunks.reduce((sum, { length }) => sum + length, 0)
  const headers = Object.fromEntries(context.res.headers)
  outgoing.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': length })
  // One system call instead of one per chunk.
  outgoing.cork()
  for (const chunk of chunks) outgoing.write(chunk)
  outgoing.end()
  outgoing.uncork()
  return RESPONSE_ALREADY_SENT
}

/** Past Hono: all readers are sent the same buffers, each at its own pace (event-stream.ts). */
function stream(
  context: Context<Env>,
  streams: EventStreams,
  after: number | undefined,
  lastEventId: string | undefined,
): Response {
  if (streams.isFull) return problem(context, 503, 'too many readers')
  const { outgoing } = context.env
  // An endless body needs no chunks: it ends with the connection. Without their headers a write is a third cheaper.
  outgoing.removeHeader('transfer-encoding')
  outgoing.writeHead(200, { ...Object.fromEntries(context.res.headers), ...STREAM_HEADERS })
  outgoing.flushHeaders()
  streams.add(outgoing as ServerResponse, after, lastEventId)
  return RESPONSE_ALREADY_SENT
}

async function sendDocument(
  context: Context,
  { chat, documents }: AppOptions,
  kind: Parameters<Documents['open']>[0],
): Promise<Response> {
  const { session_id } = chat.status
  if (session_id === null) return problem(context, 404, 'the agent has no session yet')
  const document = await documents.open(kind, session_id)
  if (!document) return problem(context, 503, 'too many documents are being generated; try again in a moment')
  context.req.raw.signal.addEventListener('abort', () => document.close())
  const disposition = `attachment; filename="${document.name}"`
  return context.body(document.body, 200, {
    'content-type': document.type,
    'x-content-type-options': 'nosniff',
    ...(kind === 'share' ? {} : { 'content-disposition': disposition }),
  })
}

/** 405 for a path that exists with another method. */
function notFound(context: Context, app: Hono<Env>): Response {
  const path = new URL(context.req.url).pathname
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map(({ method }) => method)
  if (methods.length > 0) return context.body(null, 405, { allow: [...new Set(methods)].join(', ') })
  return context.text('404 page not found\n', 404, { 'x-content-type-options': 'nosniff' })
}
