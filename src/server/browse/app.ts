import type { ServerResponse } from 'node:http'
import { isAbsolute, resolve } from 'node:path'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import type { SessionRow } from '../../catalog/session-row.ts'
import { exportFileName } from '../../export/file-name.ts'
import { exportFormats } from '../../export/session.ts'
import { changeMarks } from '../../organise/change-marks.ts'
import { IonError } from '../../platform/error.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { bodyTooLarge, type Env, json, limited, refuseHead, type ServerApp, STREAM_HEADERS } from '../app.ts'
import { DocumentWorkers, mediaType } from '../documents.ts'
import { hostGuard, isWrite, originGuard } from '../guard.ts'
import { pageFile, pageHeaders } from '../page.ts'
import { failed, problem } from '../problem.ts'
import { LARGEST_BODY } from '../request-body.ts'
import { LARGEST_UPLOAD } from '../upload.ts'
import { accessGuard, type OneTimeLinks } from './access.ts'
import { agentList } from './agent-list.ts'
import { browsePage, isBrowsePage, isPageFile } from './browse-page.ts'
import { ChangeFeed } from './change-feed.ts'
import type { About, HandoverBody, MarksChange, ResumeRequest } from './contract.ts'
import { detailOf } from './detail.ts'
import { entryOf } from './entry.ts'
import { gitDiff } from './git-diff.ts'
import { handOver, targetsOf } from './handover.ts'
import { type LiveChatOptions, LiveChats } from './live-chats.ts'
import { LiveStates } from './live-states.ts'
import { rawWindow } from './raw-window.ts'
import { bodyOf } from './request-body.ts'
import { resumeInTerminal } from './resume.ts'
import { searchLines, searchQuery } from './search.ts'
import type { SessionIndex } from './session-index.ts'
import { limitOf, type Query, SessionListing } from './session-list.ts'
import { opensTerminal } from './terminal.ts'
import type { WindowQuery } from './transcript.ts'
import { Transcripts } from './transcripts.ts'
import { usageQuery } from './usage-overview.ts'
import type { BrowseJob, FilesFound, TurnRange } from './worker-jobs.ts'

export interface BrowseOptions extends LiveChatOptions {
  readonly links: OneTimeLinks
  /** Of the cookie, and for other processes of the user. */
  readonly secret: string
  /** Every change is refused. */
  readonly readOnly: boolean
  readonly index: SessionIndex
  /** For tests: the bytes of each read of a window of a large session. */
  readonly onRead?: (bytes: number) => void
}

const DEFAULT_ENTRIES = 100
const MAX_ENTRIES = 500
const DEFAULT_HITS = 20
const MAX_HITS = 200
/** What a form adds to its file. */
const FORM_OVERHEAD = 64 * 1024
const LINES = { 'content-type': 'application/jsonl', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** `ion web`: the page over all sessions, and what it asks for. */
export function browseApp(options: BrowseOptions): ServerApp {
  const { io, index, webFolder } = options
  const live = new LiveStates(io)
  const listing = new SessionListing(index, live, io)
  const transcripts = new Transcripts(io, options.onRead)
  const feed = new ChangeFeed(index, listing, transcripts, io)
  const chats = new LiveChats(options, live)
  const workers = new DocumentWorkers(io, options.workerFile)
  const app = new Hono<Env>()
  const access = { ...options, isPage: isBrowsePage, isPublic: isPageFile }
  app.use(hostGuard(options), originGuard({ allowedOrigins: [] }, ''), accessGuard(access), refuseHead)
  if (options.readOnly) app.use(refuseWrites)
  app.post('/api/*', limited(LARGEST_BODY, bodyTooLarge))

  const sessionOf = (context: Context): Promise<SessionRow> => index.find(context.req.param('id') ?? '')
  /** The answer of a worker, as JSON. */
  const made = async (context: Context<Env>, job: BrowseJob): Promise<string | Response> =>
    (await workers.text(job, context.req.raw.signal)) ??
    problem(context, 503, 'too much is being read; try again in a moment')

  app.post('/api/links', (context) => json(context, { token: options.links.issue() }))
  app.get('/api/about', (context) => {
    const terminal = !options.readOnly && opensTerminal(io)
    const about: About = { version: options.version, read_only: options.readOnly, terminal, home: io.home }
    return json(context, about)
  })
  app.get('/api/sessions', async (context) => {
    await index.freshEnough()
    return json(context, await listing.page(queryOf(context)))
  })
  app.get('/api/filters', async (context) => {
    await index.freshEnough()
    return json(context, listing.filters())
  })
  app.get('/api/agents', async (context) => {
    await index.freshEnough()
    return json(context, await agentList(index.catalog, io))
  })
  app.get('/api/doctor', async (context) => {
    await index.freshEnough()
    const text = await made(context, { kind: 'browse-doctor' })
    return typeof text === 'string' ? jsonText(context, text) : text
  })
  app.get('/api/changes', (context) => {
    if (feed.isFull) return problem(context, 503, 'too many pages are open')
    const { outgoing } = context.env
    outgoing.removeHeader('transfer-encoding')
    outgoing.writeHead(200, STREAM_HEADERS)
    outgoing.flushHeaders()
    void feed.add(outgoing as ServerResponse, context.req.query('session')).catch(() => outgoing.destroy())
    return RESPONSE_ALREADY_SENT
  })
  app.get('/api/search', async (context) => {
    const filter = listing.filter(queryOf(context))
    const limit = limitOf(context.req.query('limit'), DEFAULT_HITS, MAX_HITS)
    const query = searchQuery(context.req.query('q') ?? '', filter, limit, io)
    await index.freshEnough()
    const signal = AbortSignal.any([context.req.raw.signal, index.closed])
    return context.body(linesOf(searchLines(query, index, listing, signal), signal), 200, LINES)
  })
  app.get('/api/files', async (context) => {
    const path = context.req.query('path') ?? ''
    if (path === '') throw new IonError('usage', 'no path is given', { hint: '?path=/home/you/project/file' })
    const file = isAbsolute(path) ? resolve(path) : resolve(io.home, path.replace(/^~\//, ''))
    await index.freshEnough()
    const limit = limitOf(context.req.query('limit'), DEFAULT_HITS, MAX_HITS)
    const document = await workers.open({ kind: 'browse-files', path: file, limit })
    if (!document) return problem(context, 503, 'too much is being read; try again in a moment')
    context.req.raw.signal.addEventListener('abort', () => document.close())
    return context.body(linesOf(filesLines(document.body)), 200, LINES)
  })
  app.get('/api/usage', async (context) => {
    const { since, day } = context.req.query()
    const query = usageQuery(listing.filter(queryOf(context)), since, day, io.now())
    await index.freshEnough()
    const text = await made(context, { kind: 'browse-overview', query })
    return typeof text === 'string' ? jsonText(context, text) : text
  })

  app.get('/api/sessions/:id', async (context) =>
    json(context, await detailOf(await sessionOf(context), index, listing)),
  )
  app.get('/api/sessions/:id/transcript', async (context) => {
    const row = await sessionOf(context)
    const located = index.locate(row)
    const transcript = await transcripts.get(located)
    const version = transcripts.versionOf(located)
    const window = await transcript.window(windowQuery(context))
    if (!window) return problem(context, 404, 'the session has no such event')
    const started = new Map(index.catalog.subAgents(row).map(({ id, title, call }) => [call, { id, title }]))
    const entries = window.entries.map((entry) => {
      const sub_agent = started.get(entry.event)
      return sub_agent ? { ...entry, sub_agent } : entry
    })
    return json(context, { ...window, entries, version })
  })
  app.get('/api/sessions/:id/entries/:event', async (context) => {
    const entry = await entryOf(index.locate(await sessionOf(context)), context.req.param('event'), io)
    return entry ? json(context, entry) : problem(context, 404, 'the session has no such event')
  })
  app.get('/api/sessions/:id/prompts', async (context) => {
    const transcript = await transcripts.get(index.locate(await sessionOf(context)))
    return json(context, await transcript.prompts(context.req.query('before')))
  })
  app.get('/api/sessions/:id/raw', async (context) => {
    const { after, around } = context.req.query()
    const limit = limitOf(context.req.query('limit'), DEFAULT_ENTRIES, MAX_ENTRIES)
    const query = { limit, ...(after === undefined ? {} : { after }), ...(around === undefined ? {} : { around }) }
    const window = await rawWindow(index.locate(await sessionOf(context)), query, io)
    return window ? json(context, window) : problem(context, 404, 'the session has no such event')
  })
  app.get('/api/sessions/:id/changes', async (context) => {
    const row = await sessionOf(context)
    const turn = turnRange(context.req.query('turn'))
    const [text, git] = await Promise.all([
      made(context, { kind: 'browse-changes', session: jobSession(row), turn }),
      gitDiff(row.cwd, io),
    ])
    return typeof text === 'string' ? json(context, { ...JSON.parse(text), git }) : text
  })
  app.get('/api/sessions/:id/coverage', async (context) => {
    const text = await made(context, { kind: 'browse-coverage', session: jobSession(await sessionOf(context)) })
    return typeof text === 'string' ? jsonText(context, text) : text
  })
  app.get('/api/sessions/:id/share', async (context) => {
    const text = await made(context, { kind: 'browse-share', session: jobSession(await sessionOf(context)) })
    return typeof text === 'string' ? jsonText(context, text) : text
  })
  app.get('/api/sessions/:id/export', async (context) => {
    const given = context.req.query('format') ?? 'md'
    const format = exportFormats.find((one) => one === given)
    if (!format) throw new IonError('usage', `"${given}" is not a format`, { hint: exportFormats.join(', ') })
    const row = await sessionOf(context)
    const [redact, full, thinking, system] = ['redact', 'full', 'thinking', 'system'].map((name) =>
      isSet(context, name),
    )
    const request = { format, redact: redact!, full: full!, thinking: thinking!, system: system! }
    const document = await workers.open({ kind: 'browse-export', session: jobSession(row), options: request })
    if (!document) return problem(context, 503, 'too many documents are being generated; try again in a moment')
    context.req.raw.signal.addEventListener('abort', () => document.close())
    // The title may be what was masked.
    const name = exportFileName(redact ? { ...row, title: null } : row, format)
    return context.body(document.body, 200, {
      'content-type': mediaType(format),
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    })
  })
  app.get('/api/sessions/:id/usage', async (context) => {
    const text = await made(context, { kind: 'browse-usage', session: jobSession(await sessionOf(context)) })
    return typeof text === 'string' ? jsonText(context, text) : text
  })
  app.get('/api/sessions/:id/handover', async (context) => {
    const row = await sessionOf(context)
    return json(context, targetsOf(row, index.referenceOf(row), io))
  })

  app.post('/api/sessions/:id/marks', async (context) => {
    const row = await sessionOf(context)
    const { add_tags, remove_tags, ...change } = await bodyOf<MarksChange>(context, {
      name: 'text or null',
      note: 'text or null',
      pinned: 'boolean',
      add_tags: 'texts',
      remove_tags: 'texts',
    })
    changeMarks(io, row, { ...change, addTags: add_tags ?? [], removeTags: remove_tags ?? [] })
    feed.changed()
    return json(context, await detailOf(await sessionOf(context), index, listing))
  })
  app.post('/api/sessions/:id/handover', async (context) => {
    const body = await bodyOf<HandoverBody>(context, { agent: 'text', at: 'text', dry_run: 'boolean' })
    if (body.agent === undefined) throw new IonError('usage', 'which agent is to continue?', { hint: 'agent' })
    return json(context, await handedOver(context, body))
  })
  app.post('/api/sessions/:id/fork', async (context) => {
    const body = await bodyOf<Omit<HandoverBody, 'agent'>>(context, { at: 'text', dry_run: 'boolean' })
    return json(context, await handedOver(context, body))
  })
  app.post('/api/sessions/:id/resume', async (context) => {
    const session = index.locate(await sessionOf(context))
    const body = await bodyOf<ResumeRequest>(context, { in: 'text', fork: 'boolean' })
    const { program } = options
    await resumeInTerminal(session, body, { program, io, handOver: (one) => handedOver(context, one) })
    return json(context, { ok: true })
  })

  app.on(['GET', 'POST'], '/live/:task/*', limited(LARGEST_UPLOAD + FORM_OVERHEAD, bodyTooLarge), async (context) => {
    const task = context.req.param('task')
    const { pathname, search } = new URL(context.req.url)
    const path = pathname.slice(`/live/${task}`.length) + search
    const answer = await chats.answer(task, path, context.req.raw, context.env)
    return answer ?? problem(context, 404, 'Ion runs no such task any more')
  })

  const headers = pageHeaders([])
  app.get('/assets/*', (context) => pageFile(context, webFolder, context.req.path, headers))
  for (const path of ['/', '/search', '/files', '/usage', '/agents', '/s/:id']) {
    app.get(path, (context) => browsePage(context, webFolder, headers))
  }
  app.notFound((context) =>
    isNavigation(context)
      ? context.text('There is no such page.\n\nThe sessions are at /\n', 404, { 'x-content-type-options': 'nosniff' })
      : problem(context, 404, `there is no ${context.req.method} ${context.req.path}`),
  )
  app.onError((error, context) => problemOf(error, context))
  return {
    app,
    close() {
      feed.close()
      chats.close()
      transcripts.close()
    },
  }

  async function handedOver(context: Context, body: HandoverBody) {
    const answer = await handOver(index.locate(await sessionOf(context)), body, io)
    if (answer.act !== 'none') await index.refresh()
    return answer
  }

  async function* filesLines(body: ReadableStream): AsyncGenerator<unknown, void, undefined> {
    let rest = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const { session, ...found } = JSON.parse(line) as FilesFound
        yield { session: await listing.row(index.catalog.find(`${session.agent}:${session.id}`)), ...found }
      }
    }
    yield { done: true }
  }
}

function jobSession({ id, agent, path }: SessionRow): Pick<SessionRow, 'id' | 'agent' | 'path'> {
  return { id, agent, path }
}

function queryOf({ req }: Context): Query {
  return (name) => req.queries(name) ?? []
}

/** A person who typed an address. */
function isNavigation({ req }: Context): boolean {
  return req.method === 'GET' && (req.header('accept') ?? '').includes('text/html') && !req.path.startsWith('/api/')
}

function isSet({ req }: Context, name: string): boolean {
  return ['1', 'true'].includes(req.query(name) ?? '')
}

function windowQuery(context: Context): WindowQuery {
  const { before, after, around, limit, branch } = context.req.query()
  const given = Object.entries({ before, after, around }).filter(([, value]) => value !== undefined)
  if (given.length > 1) {
    throw new IonError('usage', `${given.map(([name]) => name).join(' and ')} cannot be combined`, { hint: 'use one' })
  }
  return {
    ...(Object.fromEntries(given) as Pick<WindowQuery, 'before' | 'after' | 'around'>),
    limit: limitOf(limit, DEFAULT_ENTRIES, MAX_ENTRIES),
    thinking: isSet(context, 'thinking'),
    system: isSet(context, 'system'),
    allBranches: branch === 'all',
  }
}

/** `3`, `3..`, `3..5` or `-1`, as on the command line. */
function turnRange(text: string | undefined): TurnRange | null {
  if (text === undefined) return null
  const [, from, range, to] = /^(-?\d{1,9})(\.\.)?(-?\d{1,9})?$/.exec(text) ?? []
  if (from === undefined || Number(from) === 0 || (to !== undefined && range === undefined)) {
    throw new IonError('usage', `invalid turn "${text}"`, { hint: 'write 3, 3..5, 3.. or -1 for the last one' })
  }
  return { from: Number(from), to: range === undefined ? Number(from) : Number(to ?? -1) }
}

function jsonText(context: Context, text: string): Response {
  return context.body(text, 200, { 'content-type': 'application/json' })
}

/** JSON Lines, each as soon as it is known. What is aborted ends without its last line. */
function linesOf(lines: AsyncGenerator<unknown, void, undefined>, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${toJsonText(value)}\n`))
      } catch (error) {
        if (signal?.aborted) controller.close()
        else controller.error(error)
      }
    },
    async cancel() {
      await lines.return()
    },
  })
}

async function refuseWrites(context: Context, next: () => Promise<void>): Promise<Response | undefined> {
  // A new link is not a change: it is how the user opens the page again.
  if (isWrite(context) && context.req.path !== '/api/links') {
    return problem(context, 403, 'this server changes nothing: it was started with --read-only')
  }
  await next()
  return undefined
}

const STATUS: Readonly<Record<string, number>> = { usage: 400, 'not-found': 404, refused: 409, 'not-installed': 409 }

function problemOf(error: Error, context: Context): Response {
  const status = error instanceof IonError ? STATUS[error.kind] : undefined
  if (status === undefined) return failed(context, error.message)
  const { message, hint } = error as IonError
  return problem(context, status, hint ? `${message} (${hint})` : message)
}
