import { existsSync } from 'node:fs'
import { type Context, Hono } from 'hono'
import type { SessionRow } from '../../catalog/session-row.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { type Env, json, refuseHead, type ServerApp } from '../app.ts'
import { hostGuard, isWrite, originGuard } from '../guard.ts'
import { pageFile, pageHeaders } from '../page.ts'
import { failed, problem } from '../problem.ts'
import { accessGuard, type OneTimeLinks } from './access.ts'
import { browsePage, isBrowsePage, isPageFile } from './browse-page.ts'
import type { SessionDetail } from './contract.ts'
import { LiveStates } from './live-states.ts'
import type { SessionIndex } from './session-index.ts'
import { limitOf, SessionListing, titleOf } from './session-list.ts'
import type { Transcript, WindowQuery } from './transcript.ts'
import { Transcripts } from './transcripts.ts'

export interface BrowseOptions {
  readonly io: Io
  readonly port: number
  readonly allowedHosts: readonly string[]
  readonly links: OneTimeLinks
  /** Of the cookie, and for other processes of the user. */
  readonly secret: string
  /** Every change is refused. */
  readonly readOnly: boolean
  /** The folder of the built page. */
  readonly webFolder: string
  readonly version: string
  readonly index: SessionIndex
}

const DEFAULT_ENTRIES = 100
const MAX_ENTRIES = 500

/** `ion web`: the page over all sessions, and what it asks for. */
export function browseApp(options: BrowseOptions): ServerApp {
  const { io, index, webFolder } = options
  const live = new LiveStates(io)
  const listing = new SessionListing(index, live, io)
  const transcripts = new Transcripts(io)
  const app = new Hono<Env>()
  const access = { ...options, isPage: isBrowsePage, isPublic: isPageFile }
  app.use(hostGuard(options), originGuard({ allowedOrigins: [] }), accessGuard(access), refuseHead)
  if (options.readOnly) app.use(refuseWrites)

  const sessionOf = (context: Context): Promise<SessionRow> => index.find(context.req.param('id') ?? '')
  const transcriptOf = async (context: Context): Promise<Transcript> =>
    transcripts.get(index.locate(await sessionOf(context)))

  app.post('/api/links', (context) => json(context, { token: options.links.issue() }))
  app.get('/api/sessions', async (context) => {
    await index.freshEnough()
    return json(context, await listing.page((name) => context.req.queries(name) ?? []))
  })
  app.get('/api/filters', async (context) => {
    await index.freshEnough()
    return json(context, listing.filters())
  })
  app.get('/api/sessions/:id', async (context) => json(context, await detail(await sessionOf(context))))
  app.get('/api/sessions/:id/transcript', async (context) => {
    const window = await (await transcriptOf(context)).window(windowQuery(context))
    return window ? json(context, window) : problem(context, 404, 'the session has no such event')
  })

  const headers = pageHeaders([])
  app.get('/assets/*', (context) => pageFile(context, webFolder, context.req.path, headers))
  for (const path of ['/', '/search', '/files', '/usage', '/agents', '/s/:id']) {
    app.get(path, (context) => browsePage(context, webFolder, headers))
  }
  app.notFound((context) => problem(context, 404, `there is no ${context.req.path}`))
  app.onError((error, context) => problemOf(error, context))
  return {
    app,
    close() {
      transcripts.close()
    },
  }

  async function detail(row: SessionRow): Promise<SessionDetail> {
    const subAgents = index.catalog.page({ parent: row.id, hidden: true, limit: MAX_ENTRIES })
    const { native_id, cwd, created_at, tool_calls, tokens, bytes, path, archived, resumable, forked_from } = row
    const { name, note, problems } = row
    return {
      ...(await listing.row(row)),
      native_id,
      agent_title: titleOf(row.agent),
      cwd,
      cwd_exists: cwd !== null && existsSync(cwd),
      created_at,
      tool_calls,
      tokens,
      bytes,
      path,
      archived,
      resumable,
      forked_from,
      name,
      note,
      problems,
      resume_command: `ion --resume ${row.id}`,
      sub_agents: await listing.listed(subAgents.rows),
    }
  }
}

function windowQuery({ req }: Context): WindowQuery {
  const { before, after, around, limit, thinking, system, branch } = req.query()
  const given = Object.entries({ before, after, around }).filter(([, value]) => value !== undefined)
  if (given.length > 1) {
    throw new IonError('usage', `${given.map(([name]) => name).join(' and ')} cannot be combined`, { hint: 'use one' })
  }
  return {
    ...(Object.fromEntries(given) as Pick<WindowQuery, 'before' | 'after' | 'around'>),
    limit: limitOf(limit, DEFAULT_ENTRIES, MAX_ENTRIES),
    thinking: thinking !== undefined && thinking !== '0',
    system: system !== undefined && system !== '0',
    allBranches: branch === 'all',
  }
}

async function refuseWrites(context: Context, next: () => Promise<void>): Promise<Response | undefined> {
  // A new link is no change: it is how the user opens the page again.
  if (isWrite(context) && context.req.path !== '/api/links') {
    return problem(context, 403, 'this server changes nothing: it was started with --read-only')
  }
  await next()
  return undefined
}

const STATUS = { usage: 400, 'not-found': 404, refused: 409 } as const

function problemOf(error: Error, context: Context): Response {
  const status = error instanceof IonError ? STATUS[error.kind as keyof typeof STATUS] : undefined
  if (status === undefined) return failed(context, error.message)
  const { message, hint } = error as IonError
  return problem(context, status, hint ? `${message} (${hint})` : message)
}
