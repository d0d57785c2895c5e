// ion serve against the real agentapi: a message to 1,000 readers, what a reader costs, and a long history.
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findAgentapi } from '../../test/e2e/agentapi-program.ts'
import { median, quantile } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'
import { type BenchServer, startAgentapi, startIon } from './serve-servers.ts'

const READERS = 1000
const MESSAGES = 10_000
const TEXT = 400
const CLIENTS = fileURLToPath(new URL('serve-clients.mjs', import.meta.url))
const INSTALL_MS = 300_000

export async function serve({ program, rounds, scratch, say }: BenchContext): Promise<Row[]> {
  const found = await findAgentapi(INSTALL_MS)
  const agentapi = 'program' in found ? found.program : undefined
  if ('unavailable' in found) say(`  no agentapi (${found.unavailable}): ion serve alone`)
  return [
    ...(await readersRows(program, agentapi, rounds.long * 10, { scratch, say })),
    ...(await historyRows(program, agentapi, rounds.long * 8, { scratch, say })),
  ]
}

type Tools = Pick<BenchContext, 'scratch' | 'say'>

interface Served {
  readonly name: string
  readonly server: BenchServer
  readonly delays: number[]
  readers?: Readers
  perReader: number
}

/** Both have all their readers at the same time and take turns, so that whatever else the machine does affects both. */
async function readersRows(
  program: string,
  agentapi: string | undefined,
  count: number,
  { scratch, say }: Tools,
): Promise<Row[]> {
  const served = (name: string, server: BenchServer): Served => ({ name, server, delays: [], perReader: 0 })
  const servers = [served('ion', await startIon(scratch('serve-ion'), program))]
  if (agentapi) servers.push(served('agentapi', await startAgentapi(scratch('serve-agentapi'), agentapi)))
  try {
    for (const one of servers) {
      await one.server.say('hello')
      await one.server.stable()
      const before = one.server.memory()
      one.readers = await startReaders(one.server.port)
      await wait(1000)
      one.perReader = (one.server.memory() - before) / READERS
    }
    for (let round = 0; round < count; round++) {
      for (const { server, readers, delays } of servers) {
        const arrived = readers!.next()
        await server.say('clock')
        delays.push(...(await arrived))
      }
    }
  } finally {
    for (const { server, readers } of servers) {
      readers?.end()
      await server.end()
    }
  }
  const [ours, theirs] = servers as [Served, Served?]
  const p95 = (one: Served): number => quantile(one.delays, 0.95)
  for (const one of servers)
    say(`  ${one.name}: p50 ${quantile(one.delays, 0.5).toFixed(0)} ms, p95 ${p95(one).toFixed(0)} ms`)
  const against = theirs && `agentapi: p95 ${p95(theirs).toFixed(0)} ms, ${theirs.perReader.toFixed(0)} KB`
  const rows: Row[] = [
    {
      id: 'serve-readers',
      what: 'from the agent’s answer until 1,000 readers of /events have it, p95',
      unit: 'ms',
      goal: 100,
      value: p95(ours),
      detail: `p50 ${quantile(ours.delays, 0.5).toFixed(0)} ms; ${against ?? 'no agentapi here'}; ${count} messages`,
    },
    {
      id: 'serve-memory',
      what: 'memory for each reader of /events',
      unit: 'KB',
      value: ours.perReader,
      detail: against ?? 'no agentapi here',
    },
  ]
  if (theirs)
    rows.splice(1, 0, ratio('serve-readers-ratio', 'the same, to agentapi in the same minutes', p95(ours), p95(theirs)))
  return rows
}

interface Readers {
  /** The delay of the next message to each reader. */
  next(): Promise<number[]>
  end(): void
}

async function startReaders(port: number): Promise<Readers> {
  const child = spawn(process.execPath, [CLIENTS, String(port), String(READERS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let onLine = (_line: string): void => {}
  createInterface(child.stdout).on('line', (line) => onLine(line))
  const line = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('not all readers got the message')), 60_000)
      onLine = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
    })
  await line()
  return {
    async next() {
      const delays = line()
      child.stdin.write('next\n')
      return JSON.parse(await delays)
    },
    end: () => child.kill('SIGKILL'),
  }
}

interface Timed {
  readonly name: string
  readonly server: BenchServer
  readonly list: number[]
  readonly stream: number[]
}

interface StoredMessage {
  readonly id: number
  readonly content: string
  readonly role: string
  readonly time: string
}

async function historyRows(
  program: string,
  agentapi: string | undefined,
  count: number,
  { scratch, say }: Tools,
): Promise<Row[]> {
  const ion = await startIon(scratch('history-ion'), program)
  const servers: Timed[] = [{ name: 'ion', server: ion, list: [], stream: [] }]
  try {
    await ion.say(`many ${MESSAGES / 2} ${TEXT}`)
    await ion.stable()
    if (agentapi) {
      const messages = await messagesOf(ion)
      // The same texts, as it would have saved them.
      const stored = messages.map(({ id, content, role, time }) => ({ id, message: content, role, time }))
      const state = { version: 1, messages: stored, initial_prompt: '', initial_prompt_sent: true }
      servers.push({
        name: 'agentapi',
        server: await startAgentapi(scratch('history-agentapi'), agentapi, state),
        list: [],
        stream: [],
      })
    }
    for (const { server } of servers) await untilLoaded(server)
    for (let round = 0; round < count; round++) {
      for (const { server, list, stream } of round % 2 === 0 ? servers : servers.toReversed()) {
        list.push(await took(`${server.url}/messages`, (text) => text.endsWith(']}\n') || text.endsWith(']}')))
        stream.push(await took(`${server.url}/events`, (text) => text.includes('event: status_change')))
      }
    }
  } finally {
    for (const { server } of servers) await server.end()
  }
  const [ours, theirs] = servers as [Timed, Timed?]
  for (const { name, list, stream } of servers) {
    say(`  ${name}: /messages ${median(list).toFixed(0)} ms, /events ${median(stream).toFixed(0)} ms`)
  }
  const row = (id: string, what: string, kind: 'list' | 'stream'): Row => {
    const value = median(ours[kind])
    if (theirs) return ratio(id, `${what}, to agentapi`, value, median(theirs[kind]))
    return { id, what, unit: 'ms', value, detail: 'no agentapi here' }
  }
  return [
    row('serve-history', `a history of ${MESSAGES.toLocaleString('en')} messages: all of it by /events`, 'stream'),
    row('serve-messages', 'the same by /messages', 'list'),
  ]
}

function ratio(id: string, what: string, ours: number, theirs: number): Row {
  const detail = `${ours.toFixed(0)} ms to ${theirs.toFixed(0)} ms`
  return { id, what, unit: 'x', goal: 0.5, value: ours / theirs, detail }
}

/** agentapi takes a moment to load its state. */
async function untilLoaded(server: BenchServer): Promise<void> {
  while ((await messagesOf(server)).length < MESSAGES) await wait(200)
}

async function messagesOf({ url }: BenchServer): Promise<StoredMessage[]> {
  return ((await (await fetch(`${url}/messages`)).json()) as { messages: StoredMessage[] }).messages
}

/** The time until the end of what came says that it is complete. */
function took(url: string, isComplete: (end: string) => boolean): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      let end = ''
      response.setEncoding('latin1').on('data', (text: string) => {
        end = (end + text.slice(-500)).slice(-500)
        if (!isComplete(end)) return
        resolve(performance.now() - began)
        asked.destroy()
      })
      response.on('end', () => resolve(performance.now() - began))
    })
    asked.on('error', reject).end()
  })
}
