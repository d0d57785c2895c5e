import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'

const FIRST = 'SERVE look at the shop'
const SECOND = 'SECOND thing, over HTTP'
const THIRD = 'THIRD thing, after the stop'

/** A session from its first prompt to its end, with all prompts over HTTP. */
export async function serve(scene: Scene, checks: Checks) {
  const { model } = scene
  let server: Server | undefined

  await checks.that('served: the chat is what the agent stored', async () => {
    server = await Server.start(scene, [FIRST])
    await server.stable()
    equal('roles', await server.roles(), ['user', 'agent'])
    equal('times that the prompt was sent', model.log.promptCount(FIRST), 1)
    await server.say(SECOND)
    await server.answered(4)
    historyHolds(scene, FIRST, SECOND)
    equal('prompts in the store', await promptsRead(scene), [[FIRST, SECOND]])
  })

  await checks.that('served: kill -9 of the server loses nothing and ends no agent', async () => {
    const before = await server?.messages()
    const agents = scene.agentProcesses().map(({ pid }) => pid)
    server?.kill()
    server = await Server.start(scene, [FIRST])
    await server.stable()
    equal('messages', await server.messages(), before)
    equal(
      'the processes of the agent',
      scene
        .agentProcesses()
        .map(({ pid }) => pid)
        .includes(agents[0] ?? 0),
      true,
    )
    equal('times that the prompt was sent', model.log.promptCount(FIRST), 1)
  })

  await checks.that(
    'served: stopped and started, nothing is sent until someone asks, then the complete history',
    async () => {
      const before = await server?.messages()
      const stopped = await scene.ion(['stop'])
      equal(`exit code of ion stop (${stopped.err})`, stopped.code, 0)
      const turns = model.log.turns().length
      server = await Server.start(scene, [FIRST])
      await server.stable()
      equal('messages', await server.messages(), before)
      equal('turns', model.log.turns().length, turns)
      await server.say(THIRD)
      await server.answered(6)
      historyHolds(scene, FIRST, SECOND, THIRD)
      equal('prompts in the store', await promptsRead(scene), [[FIRST, SECOND, THIRD]])
      equal('exit code of ion stop', (await scene.ion(['stop'])).code, 0)
    },
  )
}

type Update = { id: number; role: string; message: string; done: boolean }
export type Message = { id: number; role: string; content: string; done: boolean }

/** A server in the background, as a program that uses it sees it. */
export class Server {
  readonly #scene: Scene
  readonly origin: string

  static async start(scene: Scene, prompt: string[], args = scene.world.args.terminal) {
    const command = ['serve', scene.subject.agent, '--detach', '--port', '0', ...prompt]
    const { code, out, err } = await scene.ion([...command, ...(args.length ? ['--', ...args] : [])])
    equal(`exit code of ion serve (${err})`, code, 0)
    const [row] = (await scene.ion(['ps', '--json'])).out.split('\n').filter(Boolean)
    const { url } = JSON.parse(row ?? '{}')
    holds('no address', typeof url === 'string', out)
    return new Server(scene, new URL(url).origin)
  }

  constructor(scene: Scene, origin: string) {
    this.#scene = scene
    this.origin = origin
  }

  async ask(path: string, options: RequestInit = {}) {
    const headers = { authorization: `Bearer ${this.token()}`, ...options.headers }
    const answer = await fetch(this.origin + path, { signal: AbortSignal.timeout(20_000), ...options, headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  /** Without times and parts. */
  async messages(): Promise<Message[]> {
    const { messages } = await this.ask('/messages')
    return messages.map(({ id, role, content, done }: Message) => ({ id, role, content, done }))
  }

  async roles() {
    return (await this.messages()).map(({ role }) => role)
  }

  /** The agent waits for its user. */
  async stable() {
    let last = {}
    await until('a stable status', 60_000, async () => {
      last = await this.ask('/status')
      return (last as { status?: string }).status === 'stable'
    }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`)
    })
  }

  /** Waits for this number of messages, the last of them complete. */
  async answered(count: number) {
    await until(`${count} messages`, 60_000, async () => {
      const messages = await this.messages()
      return messages.length === count && messages.at(-1)?.done === true
    })
    await this.stable()
  }

  /** Every `message_update` of `/events` until the signal, as a client of AgentAPI reads them. */
  async follow(signal: AbortSignal): Promise<Update[]> {
    const updates: Update[] = []
    const headers = { authorization: `Bearer ${this.token()}` }
    try {
      const { body } = await fetch(`${this.origin}/events`, { signal, headers })
      let rest = ''
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          const [, data] = /^event: message_update\ndata: (.*)$/m.exec(event) ?? []
          if (data) updates.push(JSON.parse(data) as Update)
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return updates
  }

  async say(content: string) {
    equal('the answer to a message', await this.post('/message', { content, type: 'user' }), { ok: true })
  }

  async answer(question: string, choice: string) {
    equal('the answer to an answer', await this.post('/answer', { question, choice }), { ok: true })
  }

  post(path: string, body: object) {
    const headers = { 'content-type': 'application/json' }
    return this.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  token() {
    return readFileSync(join(this.#scene.taskFolder(), 'serve-token'), 'utf8').trim()
  }

  kill() {
    const folder = join(this.#scene.root, 'ion', 'servers')
    for (const name of readdirSync(folder)) {
      const { pid } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      process.kill(pid, 'SIGKILL')
    }
  }
}
