// Our own stub model: one server on loopback that speaks the protocols of all agents, answers from a script, and notes
// every request. It is strict: what the real provider would refuse gets the provider's error, and is marked in the log.
// Nothing in it is random but the ids, which must differ between two servers for one agent.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ampService } from './amp.ts'
import { anthropic } from './anthropic.ts'
import { augment } from './augment.ts'
import { chat } from './chat.ts'
import { codewhisperer } from './codewhisperer.ts'
import { gemini } from './gemini.ts'
import type { Entry } from './log.ts'
import { createLog, type Log } from './log.ts'
import type { HttpCall, Reply } from './protocol.ts'
import { isExtra, type Protocol, usageOf } from './protocol.ts'
import { responses } from './responses.ts'
import type { Rejection } from './rules.ts'
import type { Answer, Request, Step } from './script.ts'
import { answerExtra, answerTurn } from './script.ts'
import { ORGANISATION } from './seal.ts'

const protocols = [anthropic, responses, chat, gemini, augment, codewhisperer]

/** Asked for by Anthropic's and OpenAI's clients at the same path, so it has the fields of both. */
const MODELS = {
  object: 'list',
  data: [{ id: 'stub-model', object: 'model', type: 'model', display_name: 'Stub', created: 0, owned_by: 'stub' }],
  has_more: false,
  first_id: 'stub-model',
  last_id: 'stub-model',
}

export interface ModelOptions {
  /** 0 for a free one. */
  port?: number
  /** Each request is appended to it as a line of JSON. */
  logFile?: string
  /** Each request is written there as it came, for debugging. */
  rawFolder?: string
  script?: Step[]
  /** The beginning of every id that the model gives out. */
  seed?: string
  /** Reasoning that was sealed for another one is refused. */
  organisation?: string
}

export interface Model {
  readonly url: string
  readonly port: number
  readonly log: Log
  script: Step[]
  /** Ends every connection, including those that hang. */
  close(): Promise<void>
}

export async function startModel(options: ModelOptions = {}): Promise<Model> {
  const { port = 0, logFile, rawFolder, script = [], seed = randomBytes(4).toString('hex') } = options
  const { organisation = ORGANISATION } = options
  const log = createLog(logFile)
  const state = { script: [...script], requests: 0 }
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error) => sendJson(outgoing, 500, { error: { message: String(error?.stack) } }))
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(undefined))
  })
  const bound = (server.address() as AddressInfo).port

  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    log,
    get script() {
      return state.script
    },
    set script(steps) {
      state.script = [...steps]
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse) {
    const call = await readCall(incoming)
    if (call.path === '/__log') return sendJson(outgoing, 200, log.entries)
    if (call.path === '/__script' && call.method === 'POST') {
      state.script = call.body as Step[]
      return sendJson(outgoing, 200, { steps: state.script.length })
    }
    const n = ++state.requests
    if (rawFolder) writeFileSync(join(rawFolder, `${n}.json`), JSON.stringify(call, null, 1))
    const protocol = call.method === 'POST' ? protocols.find((one) => one.isTurn(call)) : undefined
    const note = { n, at: new Date().toISOString(), world: call.world, path: call.path, query: call.query }
    if (!protocol) {
      const { name, body } = answerOther(call)
      log.add({ ...note, protocol: name, kind: 'extra', ...NO_TALK })
      return sendJson(outgoing, 200, body)
    }

    const rejected = protocol.check?.(call, organisation)
    const request = rejected ? readRejected(protocol, call) : protocol.read(call)
    const extra = isExtra(request)
    const { prompt, sent } = log.latestPrompts(request.messages, call.world)
    const turn = { prompt, world: call.world }
    const answer = rejected ? refusal(rejected) : extra ? answerExtra(request) : answerTurn(state.script, request, turn)
    const id = `${seed}_${n}`
    const step = answer.call ? { ...answer, call: { id: `call_${id}`, ...answer.call } } : answer
    const usage = answer.fail ? null : usageOf(request)
    const entry: Entry = {
      ...note,
      protocol: protocol.name,
      kind: extra ? 'extra' : 'turn',
      model: request.model,
      stream: request.stream,
      messages: request.messages,
      tools: request.tools.map((tool) => tool.name),
      prompt: extra ? '' : prompt,
      sent: extra ? [] : sent,
      step,
      usage,
      ...(rejected ? { rejected } : {}),
    }
    log.add(entry)
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) log.markClosed(entry)
    })

    if (answer.fail) {
      const failure = { ...rejected, fail: answer.fail, message: answer.message ?? '' }
      return sendJson(outgoing, failure.fail, protocol.failure(failure))
    }
    const { sealReasoning } = request
    const reply = { ...step, id, model: request.model, usage, organisation, sealReasoning } as Reply
    if (!request.stream) return reply.hang ? undefined : sendJson(outgoing, 200, protocol.whole(reply))
    outgoing.writeHead(200, { 'content-type': protocol.contentType, 'cache-control': 'no-cache' })
    for (const frame of protocol.frames(reply)) {
      outgoing.write(frame)
      if (answer.everyMs) await setTimeout(answer.everyMs)
      if (outgoing.destroyed) return
    }
    if (!reply.hang) outgoing.end()
  }
}

function refusal({ status = 400, message }: Rejection): Answer {
  return { fail: status, message }
}

/** For the log. What is refused may be of any shape. */
function readRejected(protocol: Protocol, call: HttpCall): Request {
  try {
    return protocol.read(call)
  } catch {
    return { model: '', stream: false, system: '', messages: [], tools: [] }
  }
}

/** The fields of an entry that only a request to the model fills. */
const NO_TALK = { model: '', stream: false, messages: [], tools: [], prompt: '', sent: [], step: null, usage: null }

/** What is asked besides the conversation. Agents are content with an empty object where nothing better is known. */
function answerOther(call: HttpCall) {
  for (const { name, answerOther } of protocols) {
    const body = answerOther?.(call)
    if (body) return { name, body }
  }
  const service = ampService(call)
  if (service) return { name: 'amp', body: service }
  return call.path.endsWith('/models') ? { name: 'models', body: MODELS } : { name: 'other', body: {} }
}

async function readCall(incoming: IncomingMessage): Promise<HttpCall> {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const [full = '/', query = ''] = (incoming.url ?? '/').split('?', 2)
  // One server serves several agents at a time: each has its world before the path.
  const [, world = '', path = '/'] = /^(?:\/(w-[^/]+))?(\/.*)?$/s.exec(full.replace(/\/{2,}/g, '/')) ?? []
  const target = incoming.headers['x-amz-target']
  const call = { method: incoming.method ?? 'GET', world, path, query, body: parsed(text) }
  return typeof target === 'string' ? { ...call, target } : call
}

function parsed(text: string) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown) {
  if (outgoing.headersSent) return outgoing.destroy()
  const text = JSON.stringify(body)
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  outgoing.end(text)
}
