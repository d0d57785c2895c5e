// The inside of `npm run serve-figures`.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cpuMs } from '../../bench/process-cpu.ts'
import { findAgent } from '../../src/agents/find.ts'
import { attempt } from '../../src/platform/error.ts'
import { Checks } from './checks.ts'
import { insideTask } from './inside.ts'
import { Scene, type Subject } from './scene.ts'
import { Server } from './stories/serve.ts'
import { freePort } from './stories/under-agentapi.ts'
import { until } from './until.ts'

export interface FiguresTask {
  root: string
  subject: Subject
  ion: string
  server: 'ion' | 'agentapi'
  /** Seconds of waiting to measure. */
  idle: number
}

export interface Figures {
  /** Seconds per minute. */
  idleCpu: number
  /** Seconds. */
  turnCpu: number
  /** From the request to the model to the first words of the answer; null when it came in one piece. */
  firstWordsMs: number | null
  events: number
  /** Bytes of the longest. */
  largest: number
}

const { task, finish } = insideTask<FiguresTask>()
const checks = new Checks()
const scene = await Scene.make({ ...task, checks })
const { origin, token, pids } = await (task.server === 'ion' ? startIon() : startAgentapi())
const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}) }
await stable()
const cpu = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0)

const idleBegin = cpu()
await setTimeout(task.idle * 1000)
const idleCpu = ((cpu() - idleBegin) / 1000 / task.idle) * 60

const events: { at: number; text: string }[] = []
const closing = new AbortController()
void follow()
await until('the current state', 10_000, () => events.length > 0)
const turnBegin = cpu()
const known = events.length
const sent = await fetch(`${origin}/message`, {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify({ content: 'WRITE an answer', type: 'user' }),
})
if (!sent.ok) throw new Error(await sent.text())
const hasEnd = ({ text }: { text: string }): boolean => text.includes('last paragraph')
await until('the answer', 60_000, () => events.slice(known).some(hasEnd))
await stable()
const turnCpu = (cpu() - turnBegin) / 1000
closing.abort()
const asked = Date.parse(scene.model.log.turns().at(-1)!.at)
const ofTurn = events.slice(known)
const first = ofTurn.find(({ text }) => text.includes('The first'))
finish({
  idleCpu,
  turnCpu,
  firstWordsMs: first && !hasEnd(first) ? first.at - asked : null,
  events: ofTurn.length,
  largest: Math.max(...ofTurn.map(({ text }) => Buffer.byteLength(text))),
} satisfies Figures)
await scene.ion(['stop', '--all'])
await scene.close()
for (const line of checks.unreported()) console.error(line)

async function startIon() {
  const server = await Server.start(scene, [])
  const folder = join(scene.root, 'ion', 'servers')
  const [name = ''] = readdirSync(folder)
  const { pid } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const host = JSON.parse(readFileSync(join(scene.taskFolder(), 'host.json'), 'utf8'))
  return { origin: server.origin, token: server.token(), pids: [Number(pid), Number(host.pid)] }
}

async function startAgentapi() {
  const { agentapiType } = findAgent(scene.subject.agent)
  const port = await freePort()
  const args = ['server', `--type=${agentapiType}`, `--port=${port}`, '--', scene.subject.program]
  const child = spawn(scene.subject.agentapi!, [...args, ...scene.world.args.terminal], {
    cwd: scene.project,
    env: { ...scene.env, AGENTAPI_ALLOWED_HOSTS: '*' },
    stdio: 'ignore',
    detached: true,
  })
  // With its agent, also when something fails.
  process.once('exit', () => attempt(() => process.kill(-child.pid!, 'SIGKILL')))
  const origin = `http://127.0.0.1:${port}`
  await until('agentapi', 30_000, () =>
    fetch(`${origin}/status`).then(
      () => true,
      () => false,
    ),
  )
  return { origin, token: undefined, pids: [child.pid!] }
}

async function stable(): Promise<void> {
  await until('a stable status', 60_000, async () => {
    const status = await fetch(`${origin}/status`, { headers })
    return ((await status.json()) as { status: string }).status === 'stable'
  })
}

/** Notes every event with the time at which it arrived. */
async function follow(): Promise<void> {
  try {
    const { body } = await fetch(`${origin}/events`, { headers, signal: closing.signal })
    let rest = ''
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const text of blocks) if (text.includes('data:')) events.push({ at: Date.now(), text })
    }
  } catch (error) {
    if (!closing.signal.aborted) throw error
  }
}
