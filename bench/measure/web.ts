// What the page over all sessions asks for, of a server with very many sessions.
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { runNode } from '../child.ts'
import { vocabulary } from '../corpus/vocabulary.ts'
import { amount, timing } from '../format.ts'
import { exactCpuMs } from '../process-cpu.ts'
import { quantile } from '../statistics.ts'
import type { BenchContext, Row, World } from '../types.ts'

const REQUESTS = 60
const GOAL_MS = 100
/** Between the times of two filters; the sessions of the corpus are of several months. */
const DAYS = 4

interface Kind {
  readonly id: string
  readonly what: string
  readonly goal?: number
  /** Each is another request, so that counts that the server keeps do not answer them all. */
  readonly requests: readonly string[]
  /** Until the first line instead of the complete answer. */
  readonly firstLine?: boolean
}

export async function web({ program, corpora, scratch, say }: BenchContext): Promise<Row[]> {
  const { home, files } = corpora.get('tiny')
  const folder = scratch('web')
  const world = { home, ionHome: scratch('web/ion') }
  await runNode(folder, [program, 'status'], world)
  const server = await startServer(program, folder, world)
  try {
    const { sessions } = JSON.parse(await server.get('/api/sessions?limit=1')) as { sessions: { updated_at: string }[] }
    const { projects, agents } = JSON.parse(await server.get('/api/filters')) as Filters
    if (agents.reduce((sum, { sessions }) => sum + sessions, 0) !== files) throw new Error('the index is not complete')
    const rows: Row[] = []
    for (const kind of kinds(agents, projects, new Date(sessions[0]!.updated_at)))
      rows.push(await measure(kind, files, server))
    return rows
  } finally {
    await server.stop()
    say('  the server has ended')
  }
}

interface Filters {
  readonly agents: readonly { readonly id: string; readonly sessions: number }[]
  readonly projects: readonly { readonly path: string }[]
}

function kinds(agents: Filters['agents'], projects: Filters['projects'], newest: Date): Kind[] {
  const many = (request: (number: number) => string): string[] => Array.from({ length: REQUESTS }, (_, i) => request(i))
  const one = (path: string): string[] => many(() => path)
  const used = agents.filter(({ sessions }) => sessions > 0)
  const filter = (number: number): string => {
    const parts = {
      agent: used[number % used.length]!.id,
      project: projects[number % projects.length]!.path,
      since: new Date(newest.getTime() - number * DAYS * 24 * 3600_000).toISOString().slice(0, 10),
    }
    // One, two or all three of them.
    const names = [['agent', 'since'], ['project'], ['since'], ['agent', 'project'], ['agent', 'project', 'since']]
    const chosen = names[number % names.length]!
    return `/api/sessions?limit=100&${new URLSearchParams(Object.entries(parts).filter(([name]) => chosen.includes(name)))}`
  }
  return [
    { id: 'list', what: 'the list, newest 100', goal: GOAL_MS, requests: one('/api/sessions?limit=100') },
    { id: 'filter', what: 'a list with a filter that is new', goal: GOAL_MS, requests: many(filter) },
    { id: 'filter-again', what: 'a list with a filter that was used before', goal: GOAL_MS, requests: many(filter) },
    {
      id: 'words',
      what: 'a list by words',
      goal: GOAL_MS,
      requests: many((number) => `/api/sessions?limit=100&words=${vocabulary[number * 20]!}`),
    },
    { id: 'filters', what: 'what the filters can be set to', requests: one('/api/filters') },
    {
      id: 'search',
      what: 'search for a common word, until the first hit',
      goal: GOAL_MS,
      requests: many((number) => `/api/search?q=${vocabulary[number]!}`),
      firstLine: true,
    },
    // Made in a worker thread: others are answered meanwhile.
    { id: 'usage', what: 'the figures of the usage screen', requests: one('/api/usage') },
  ]
}

async function measure({ id, what, goal, requests, firstLine }: Kind, files: number, server: Server): Promise<Row> {
  const times: number[] = []
  const cpu: number[] = []
  for (const path of requests) {
    const cpuBefore = exactCpuMs(server.pid)
    const began = performance.now()
    const text = await server.get(path, firstLine)
    times.push(performance.now() - began)
    cpu.push(exactCpuMs(server.pid) - cpuBefore)
    if (firstLine && !text.startsWith('{"hit":')) throw new Error(`${path}: ${text.slice(0, 200)}`)
  }
  return {
    id: `web-${id}`,
    what: `\`ion web\` of ${amount(files)} sessions: ${what}, p95`,
    unit: 'ms',
    ...(goal === undefined ? {} : { goal }),
    value: quantile(times, 0.95),
    detail: timing({ p50: quantile(times, 0.5), cpu95: quantile(cpu, 0.95), count: times.length }),
  }
}

interface Server {
  readonly pid: number
  get(path: string, firstLine?: boolean): Promise<string>
  stop(): Promise<void>
}

async function startServer(program: string, folder: string, { home, ionHome }: World): Promise<Server> {
  const child = spawn(process.execPath, [program, 'web', '--no-open', '--port', '0'], {
    cwd: folder,
    env: { HOME: home, ION_HOME: ionHome, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const link = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('error', reject).once('close', (code) => reject(new Error(`ion web ended with ${code}`)))
  })
  const { headers } = await fetch(link, { redirect: 'manual' })
  const cookie = headers.get('set-cookie')!.split(';')[0]!
  const { origin } = new URL(link)
  return {
    pid: child.pid!,
    async get(path, firstLine = false) {
      const response = await fetch(origin + path, { headers: { cookie } })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return firstLine ? lineOf(response.body!) : response.text()
    },
    async stop() {
      child.kill('SIGINT')
      await ended
    },
  }
}

/** The first line that is not about progress; the rest is not wanted. */
async function lineOf(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part
    const lines = text.split('\n').slice(0, -1)
    const line = lines.find((one) => !one.startsWith('{"progress":'))
    if (line !== undefined) return line
  }
  return text
}
