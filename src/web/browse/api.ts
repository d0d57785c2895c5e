import type { Check } from '../../doctor/check.ts'
import type {
  About,
  AgentEntry,
  FilesLine,
  Filters,
  HandoverAnswer,
  HandoverBody,
  HandoverTargets,
  MarksChange,
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
} from '../../server/browse/contract.ts'
import type { UsageOverview } from '../../usage/overview.ts'
import { Refused, refusal } from '../api/refused.ts'

/** Parameters of a request; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export const getSessions = (query: Query): Promise<SessionPage> => json(address('sessions', query))
export const getFilters = (): Promise<Filters> => json(address('filters'))
export const getSession = (id: string): Promise<SessionDetail> => json(of(id))
export const getCoverage = (id: string): Promise<SessionCoverage> => json(of(id, 'coverage'))
export const getPrompts = (id: string, before?: string): Promise<PromptList> => json(of(id, 'prompts', { before }))
export const getAgents = (): Promise<readonly AgentEntry[]> => json(address('agents'))

export const getDoctor = (): Promise<readonly Check[]> => json(address('doctor'))

export function getTranscript(id: string, query: Query): Promise<TranscriptWindow> {
  return json(of(id, 'transcript', query))
}

/** Of the session, or of some of its turns: `3..` since prompt 3. */
export function getChanges(id: string, turn: string | undefined): Promise<SessionChanges> {
  return json(of(id, 'changes', { turn }))
}

/** Query: agent, project, since; day: that of the sessions. */
export const getUsage = (query: Query): Promise<UsageOverview> => json(address('usage', query))

export const getAbout = (): Promise<About> => json(address('about'))

export const getShared = (id: string): Promise<SharedSession> => json(of(id, 'share'))
export const getTargets = (id: string): Promise<HandoverTargets> => json(of(id, 'handover'))
export const getRaw = (id: string, query: Query): Promise<RawWindow> => json(of(id, 'raw', query))
export const getSessionUsage = (id: string): Promise<SessionUsage> => json(of(id, 'usage'))
/** One entry with all of its text and result. */
export const getEntry = (id: string, event: string): Promise<TranscriptEntry> =>
  json(of(id, `entries/${encodeURIComponent(event)}`))

export const exportUrl = (id: string, format: string): string => of(id, 'export', { format })
/** With everything masked that the preview lists. */
export const shareUrl = (id: string, format: string): string => of(id, 'export', { format, redact: 1 })

export const changeMarks = (id: string, change: MarksChange): Promise<unknown> => post(of(id, 'marks'), change)
/** Opens a terminal on this machine, and resumes the session in it. */
export const resumeInTerminal = (id: string): Promise<unknown> => post(of(id, 'resume'), {})

/** Without an agent, a copy for the same one. */
export async function handOver(id: string, { agent, dry_run = false }: HandoverBody): Promise<HandoverAnswer> {
  return (await post(of(id, agent === undefined ? 'fork' : 'handover'), { agent, dry_run })) as HandoverAnswer
}

export const changesUrl = (session: string | undefined): string => address('changes', { session })

export function searchLines(query: Query, signal: AbortSignal): AsyncGenerator<SearchLine> {
  return lines(address('search', query), signal)
}

export function fileLines(query: Query, signal: AbortSignal): AsyncGenerator<FilesLine> {
  return lines(address('files', query), signal)
}

function of(id: string, what = '', query: Query = {}): string {
  return address(`sessions/${encodeURIComponent(id)}${what && `/${what}`}`, query)
}

function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' || value === false ? [] : [[name, String(value)]],
  )
  const search = new URLSearchParams(given).toString()
  return `/api/${path}${search && `?${search}`}`
}

async function json<Body>(url: string): Promise<Body> {
  return (await (await answered(url)).json()) as Body
}

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await answered(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json().catch(() => undefined)
}

async function answered(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((error: Error): never => {
    if (error.name === 'AbortError') throw error
    throw new Refused(0, 'The server does not answer. Is ion web still running?')
  })
  if (!response.ok) throw await refusal(response)
  return response
}

/** JSON Lines as they arrive. */
async function* lines<Line>(url: string, signal: AbortSignal): AsyncGenerator<Line> {
  for await (const line of textLines(await answered(url, { signal }))) yield JSON.parse(line) as Line
}

/** The lines of a response; whoever stops early ends the request. */
async function* textLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
  const reader = response.body!.pipeThrough(decoder).getReader()
  const rest: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const complete = value.split('\n')
      rest.push(complete.shift()!)
      // A long line comes in many pieces, and is joined once.
      for (const next of complete) {
        const line = rest.join('')
        rest.length = 0
        rest.push(next)
        if (line.trim() !== '') yield line
      }
    }
    const last = rest.join('')
    if (last.trim() !== '') yield last
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
