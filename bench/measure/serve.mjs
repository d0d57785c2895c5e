// ion serve against the real agentapi: a message to 1,000 readers, what a reader costs, and a long history.
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findAgentapi } from '../../test/e2e/agentapi-program.ts'
import { median, quantile } from '../statistics.mjs'
import { startAgentapi, startIon } from './serve-servers.mjs'

const READERS = 1000
const MESSAGES = 10_000
const TEXT = 400
const CLIENTS = fileURLToPath(new URL('serve-clients.mjs', import.meta.url))
const INSTALL_MS = 300_000

export async function serve({ program, rounds, scratch, say }) {
  const found = await findAgentapi(INSTALL_MS)
  const agentapi = 'program' in found ? found.program : undefined
  if (!agentapi) say(`  no agentapi (${found.unavailable}): ion serve alone`)
  return [
    ...(await readersRows(program, agentapi, rounds.long * 10, scratch, say)),
    ...(await historyRows(program, agentapi, rounds.long * 8, scratch, say)),
  ]
}

/** Each has all its readers at the same time as the other, and they take turns: what else the machine does falls on both. */
async function readersRows(program, agentapi, count, scratch, say) {
  const servers = [{ name: 'ion', server: await startIon(scratch('serve-ion'), program), delays: [] }]
  if (agentapi) {
    servers.push({ name: 'agentapi', server: await startAgentapi(scratch('serve-agentapi'), agentapi), delays: [] })
  }
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
        const told = readers.next()
        await server.say('clock')
        delays.push(...(await told))
      }
    }
  } finally {
    for (const { server, readers } of servers) {
      readers?.end()
      await server.end()
    }
  }
  const [ours, theirs] = servers
  const p95 = (one) => quantile(one.delays, 0.95)
  for (const one of servers)
    say(`  ${one.name}: p50 ${quantile(one.delays, 0.5).toFixed(0)} ms, p95 ${p95(one).toFixed(0)} ms`)
  const against = theirs && `agentapi: p95 ${p95(theirs).toFixed(0)} ms, ${theirs.perReader.toFixed(0)} KB`
  const rows = [
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

async function startReaders(port) {
  const child = spawn(process.execPath, [CLIENTS, String(port), String(READERS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let heard = () => {}
  createInterface(child.stdout).on('line', (line) => heard(line))
  const line = () =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('not all readers were told')), 60_000)
      heard = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
    })
  await line()
  return {
    async next() {
      const told = line()
      child.stdin.write('next\n')
      return JSON.parse(await told)
    },
    end: () => child.kill('SIGKILL'),
  }
}

async function historyRows(program, agentapi, count, scratch, say) {
  const ion = await startIon(scratch('history-ion'), program)
  const servers = [{ name: 'ion', server: ion, list: [], stream: [] }]
  try {
    await ion.say(`many ${MESSAGES / 2} ${TEXT}`)
    await ion.stable()
    if (agentapi) {
      const { messages } = await (await fetch(`${ion.url}/messages`)).json()
      // The same texts, as it would have kept them.
      const stored = messages.map(({ id, content, role, time }) => ({ id, message: content, role, time }))
      const state = { version: 1, messages: stored, initial_prompt: '', initial_prompt_sent: true }
      servers.push({
        name: 'agentapi',
        server: await startAgentapi(scratch('history-agentapi'), agentapi, state),
        list: [],
        stream: [],
      })
    }
    for (const { server } of servers) await untilThere(server)
    for (let round = 0; round < count; round++) {
      for (const { server, list, stream } of round % 2 === 0 ? servers : servers.toReversed()) {
        list.push(await took(`${server.url}/messages`, (text) => text.endsWith(']}\n') || text.endsWith(']}')))
        stream.push(await took(`${server.url}/events`, (text) => text.includes('event: status_change')))
      }
    }
  } finally {
    for (const { server } of servers) await server.end()
  }
  const [ours, theirs] = servers
  for (const { name, list, stream } of servers) {
    say(`  ${name}: /messages ${median(list).toFixed(0)} ms, /events ${median(stream).toFixed(0)} ms`)
  }
  const row = (id, what, kind) => {
    const value = median(ours[kind])
    if (theirs) return ratio(id, `${what}, to agentapi`, value, median(theirs[kind]))
    return { id, what, unit: 'ms', value, detail: 'no agentapi here' }
  }
  return [
    row('serve-history', `a history of ${MESSAGES.toLocaleString('en')} messages: all of it by /events`, 'stream'),
    row('serve-messages', 'the same by /messages, where each text is twice: whole, and in parts', 'list'),
  ]
}

function ratio(id, what, ours, theirs) {
  const detail = `${ours.toFixed(0)} ms to ${theirs.toFixed(0)} ms`
  return { id, what, unit: 'x', goal: 0.5, value: ours / theirs, detail }
}

/** agentapi takes a moment to load its state. */
async function untilThere({ url }) {
  for (;;) {
    const { messages } = await (await fetch(`${url}/messages`)).json()
    if (messages.length >= MESSAGES) return
    await wait(200)
  }
}

/** Until what came says that all of it has come. */
function took(url, isWhole) {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      let end = ''
      response.setEncoding('latin1').on('data', (text) => {
        end = (end + text.slice(-500)).slice(-500)
        if (!isWhole(end)) return
        resolve(performance.now() - began)
        asked.destroy()
      })
      response.on('end', () => resolve(performance.now() - began))
    })
    asked.on('error', reject).end()
  })
}
