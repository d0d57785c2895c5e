import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'

/** Its name: it does not count for the level, which is about the agent's own resume. */
export const AGENTAPI = 'under agentapi: state file written, chat there after a restart'

const TASK = 'Say hello to agentapi'

/** The agent under the real agentapi: its chat is there after a restart, and the prompt goes out once. */
export async function underAgentapi(scene: Scene, checks: Checks) {
  await checks.that(AGENTAPI, async () => {
    const port = await freePort()
    const first = serve(scene, port, [TASK])
    await until('the answer in the chat', 90_000, async () => (await chat(port)).includes('answer 1'))
    await first.end()
    const file = stateFile(scene)
    const state = JSON.parse(readFileSync(file, 'utf8'))
    holds('the state file does not have the answer', JSON.stringify(state.messages).includes('answer 1'), state)
    const second = serve(scene, port, [TASK])
    await until('the chat of before', 90_000, async () => (await chat(port)).includes('answer 1'))
    equal('times that the prompt was sent', scene.model.log.promptCount(TASK), 1)
    await second.end()
  })
}

function serve(scene: Scene, port: number, prompt: string[]) {
  const args = ['--agentapi', '--agentapi-port', String(port), ...prompt]
  const child = spawn(process.execPath, [scene.program, ...scene.runArgs(args, 'terminal')], {
    cwd: scene.project,
    env: scene.env,
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    async end() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** All messages as one text; empty while nobody listens. */
async function chat(port: number) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/messages`, { signal: AbortSignal.timeout(5000) })
    const { messages } = (await answer.json()) as { messages: { content: string }[] }
    return messages.map(({ content }: { content: string }) => content).join('\n')
  } catch {
    return ''
  }
}

function stateFile(scene: Scene) {
  const file = join(scene.taskFolder(), 'agentapi-state.json')
  holds('no state file', existsSync(file), file)
  return file
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
