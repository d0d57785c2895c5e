import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { equal, holds } from '../checks.mjs'
import { historyHolds, promptsRead } from '../questions.mjs'
import { until } from '../wait-until.mjs'

const FIRST = 'SERVE look at the shop'
const SECOND = 'SECOND thing, over HTTP'
const THIRD = 'THIRD thing, after the stop'

/**
 * The same life of a session as elsewhere, but with all prompts over HTTP.
 * @param {import('../scene.mjs').Scene} scene @param {import('../checks.mjs').Checks} checks
 */
export async function serve(scene, checks) {
  const { model } = scene
  /** @type {Server | undefined} */
  let server

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

  await checks.that('served: kill -9 of the server loses nothing and ends nobody', async () => {
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
    'served: stopped and started, nothing is sent until someone asks, then the whole history',
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

/** @typedef {{ id: number, role: string, content: string, done: boolean }} Message */

/** A server in the background, as a program that uses it sees it. */
class Server {
  /** @param {import('../scene.mjs').Scene} scene @param {string[]} prompt */
  static async start(scene, prompt) {
    const args = scene.world.args.terminal
    const words = ['serve', scene.subject.agent, '--detach', '--port', '0', ...prompt]
    const { code, out, err } = await scene.ion([...words, ...(args.length ? ['--', ...args] : [])])
    equal(`exit code of ion serve (${err})`, code, 0)
    const [row] = (await scene.ion(['ps', '--json'])).out.split('\n').filter(Boolean)
    const { url } = JSON.parse(row ?? '{}')
    holds('no address', typeof url === 'string', out)
    return new Server(scene, new URL(url).origin)
  }

  /** @param {import('../scene.mjs').Scene} scene @param {string} origin */
  constructor(scene, origin) {
    this.scene = scene
    this.origin = origin
  }

  /** @param {string} path @param {RequestInit} [options] */
  async ask(path, options = {}) {
    const answer = await fetch(this.origin + path, { signal: AbortSignal.timeout(20_000), ...options })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  /** @returns {Promise<Message[]>} without their times and parts, which say the same in other words */
  async messages() {
    const { messages } = await this.ask('/messages')
    return messages.map((/** @type {Message} */ { id, role, content, done }) => ({ id, role, content, done }))
  }

  async roles() {
    return (await this.messages()).map(({ role }) => role)
  }

  /** The agent waits for its user. */
  async stable() {
    let last = {}
    await until('a stable status', 60_000, async () => {
      last = await this.ask('/status')
      return /** @type {{ status?: string }} */ (last).status === 'stable'
    }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`)
    })
  }

  /** @param {number} count  of messages, the last of them done */
  async answered(count) {
    await until(`${count} messages`, 60_000, async () => {
      const messages = await this.messages()
      return messages.length === count && messages.at(-1)?.done === true
    })
    await this.stable()
  }

  /** @param {string} content */
  async say(content) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token()}` }
    const body = JSON.stringify({ content, type: 'user' })
    equal('the answer to a message', await this.ask('/message', { method: 'POST', headers, body }), { ok: true })
  }

  folder() {
    const root = join(this.scene.root, 'ion', 'tasks')
    const [project = ''] = readdirSync(root)
    return join(root, project, `${this.scene.subject.agent}-main`)
  }

  token() {
    return readFileSync(join(this.folder(), 'serve-token'), 'utf8').trim()
  }

  kill() {
    const folder = join(this.scene.root, 'ion', 'servers')
    for (const name of readdirSync(folder)) {
      const { pid } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      process.kill(pid, 'SIGKILL')
    }
  }
}
